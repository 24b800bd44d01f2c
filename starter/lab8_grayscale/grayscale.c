/* Lab 8, parts A to D: from colour to grey on the CPU.
 *
 * What to do   Fill in the TODOs, in order, two for each part. labs/lab8_grayscale/lab.h says what
 *              each function must do. This file is compiled without gcc's vectorizer.
 * Build        make lab8                  (make lab8-test: unit tests)
 * Grade        ./grade lab8
 * One check    ./grade lab8 -k "17x3"
 * Stuck?       ./grade hint lab8 A
 * The idea     handouts/lab8.md
 */
#include "lab.h"

#include <omp.h>

/* Sections of the image begin at multiples of this many pixels: 96 bytes of rgb, 32 of grey. */
enum { SECTION = 32 };

/* Converts `pixels` pixels that are consecutive in memory. */
typedef void convert(const uint8_t *rgb, size_t pixels, struct weights w, uint8_t *grey);

/* ---- part A: pixel by pixel ---- */

/* Returns Y of the pixel whose R is *rgb. */
static inline uint8_t grey_of(const uint8_t *rgb, struct weights w) {
    /* TODO 1: multiply the three bytes by their weights, add the products and 16384 (one half, in
     * units of 1/32768), and divide by 32768 with a shift.  (about 1 line) */
    (void)rgb, (void)w;
    return 0;
}

void grey_openmp(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    /* TODO 2: copy the loops of baseline.c as they are, column by column, and put one OpenMP
     * directive above them that divides the pixels among the cores: collapse(2) makes one long loop
     * out of the two.  (about 7 lines) */
    (void)rgb, (void)width, (void)height, (void)w, (void)grey, (void)grey_of;
}

/* ---- part B: contiguous sections ---- */

static void convert_plain(const uint8_t *rgb, size_t pixels, struct weights w, uint8_t *grey) {
    /* TODO 3: write one loop with two pointers: in each iteration, grey advances by one byte and
     * rgb by three. You need no x, no y and no multiplication for an index.  (about 4 lines) */
    (void)rgb, (void)pixels, (void)w, (void)grey;
}

/* Divides the image into one contiguous section per thread, and calls `function` for each. */
static void share_out(convert *function, const uint8_t *rgb, int width, int height,
                      struct weights w, uint8_t *grey) {
    /* TODO 4: treat the image as one line of width * height pixels. Divide it evenly among
     * omp_get_max_threads() threads, with the size of a section rounded up to a multiple of
     * SECTION; the last section has the remaining pixels.  (about 10 lines) */
    (void)function, (void)rgb, (void)width, (void)height, (void)w, (void)grey;
}

void grey_rows(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    share_out(convert_plain, rgb, width, height, w, grey);
}

#if defined(__x86_64__)
#include <immintrin.h>

/* ---- part C: 16 pixels at a time ---- */

/* 48 bytes hold 16 pixels, in three registers of 16 bytes:
 *
 *   low     R0 G0 B0 R1 G1 B1 R2 G2 B2 R3 G3 B3 R4 G4 B4 R5
 *   middle  G5 B5 R6 ...                              G10
 *   high    B10 R11 ...                               B15
 *
 * Returns Y of the 4 pixels in the lowest 12 bytes of `four`, as 4 integers of 32 bits. */
__attribute__((target("ssse3"))) static inline __m128i sums_of_4(__m128i four, struct weights w) {
    /* TODO 5: with _mm_shuffle_epi8(), turn the bytes into 16-bit integers: one register with R0 G0
     * R1 G1 R2 G2 R3 G3, a second with B0 0 B1 0 B2 0 B3 0 (an index of -1 gives a byte of 0).
     * _mm_madd_epi16() multiplies eight of them by weights and adds neighbouring products: 4
     * integers of 32 bits. Add both results and 16384, and shift.  (about 9 lines) */
    (void)w;
    return four;
}

__attribute__((target("ssse3"))) static void convert_sse(const uint8_t *rgb, size_t pixels,
                                                         struct weights w, uint8_t *grey) {
    /* TODO 6: while 16 pixels are left, load their 48 bytes (_mm_loadu_si128 takes any address),
     * get four registers with 4 pixels each at the bottom (_mm_alignr_epi8 joins two registers,
     * _mm_srli_si128 shifts one), compute the sums, pack 4 x 4 integers to 16 bytes and store them.
     * Pass the remaining pixels to convert_plain().  (about 18 lines) */
    (void)rgb, (void)pixels, (void)w, (void)grey, (void)sums_of_4;
}

void grey_sse(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    share_out(convert_sse, rgb, width, height, w, grey);
}

/* ---- part D: 32 pixels at a time ---- */

/* sums_of_4() in both lanes: Y of the 4 pixels in the lowest 12 bytes of each half of `eight`. */
__attribute__((target("avx2"))) static inline __m256i sums_of_8(__m256i eight, struct weights w) {
    /* TODO 7: as sums_of_4(), with the same picks in both lanes: a 256-bit shuffle moves bytes only
     * within its 128-bit lanes.  (about 11 lines) */
    (void)w;
    return eight;
}

__attribute__((target("avx2"))) static void convert_avx2(const uint8_t *rgb, size_t pixels,
                                                         struct weights w, uint8_t *grey) {
    /* TODO 8: load 96 bytes, 32 pixels, with three _mm256_load_si256 (the addresses are multiples
     * of 32). They load lanes 0 1 | 2 3 | 4 5 of 16 bytes; pixels 0 to 15 are lanes 0, 1, 2.
     * Rearrange them to low = 0 3, middle = 1 4, high = 2 5: the lower lanes then hold pixels 0 to
     * 15 as in convert_sse(), the upper lanes hold pixels 16 to 31, and its steps work for both.
     * Pass the remaining pixels to convert_plain().  (about 21 lines) */
    (void)rgb, (void)pixels, (void)w, (void)grey, (void)sums_of_8;
}

void grey_avx2(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    share_out(convert_avx2, rgb, width, height, w, grey);
}

#else /* not x86-64: these are never called, because parts C and D are skipped */

void grey_sse(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    grey_rows(rgb, width, height, w, grey);
}

void grey_avx2(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    grey_rows(rgb, width, height, w, grey);
}

#endif
