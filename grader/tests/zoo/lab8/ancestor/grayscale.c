#include "lab.h"

#include <omp.h>

/* Sections of the image begin at multiples of this many pixels: 96 bytes of rgb, 32 of grey. */
enum { SECTION = 32 };

/* Converts `pixels` pixels that follow each other in memory. */
typedef void convert(const uint8_t *rgb, size_t pixels, struct weights w, uint8_t *grey);

/* ---- part A: pixel by pixel ---- */

/* Y of the pixel whose R is *rgb. */
static inline uint8_t grey_of(const uint8_t *rgb, struct weights w) {
    return (uint8_t)((w.r * rgb[0] + w.g * rgb[1] + w.b * rgb[2] + 16384) >> 15);
}

void grey_openmp(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int x = 0; x < width; x++) {
        for (int y = 0; y < height; y++) {
            const size_t i = (size_t)y * width + x;
            grey[i] = grey_of(rgb + 3 * i, w);
        }
    }
}

/* ---- part B: contiguous sections ---- */

static void convert_plain(const uint8_t *rgb, size_t pixels, struct weights w, uint8_t *grey) {
    for (const uint8_t *end = grey + pixels; grey < end; grey++) {
        *grey = grey_of(rgb, w);
        rgb += 3;
    }
}

/* Cuts the image into one contiguous section for each thread, and calls `function` for each. */
static void share_out(convert *function, const uint8_t *rgb, int width, int height,
                      struct weights w, uint8_t *grey) {
    const size_t pixels = (size_t)width * height;
    const size_t threads = omp_get_max_threads();
    const size_t share = (pixels + threads - 1) / threads;
    const size_t section = (share + SECTION - 1) / SECTION * SECTION;

#pragma omp parallel for schedule(static)
    for (size_t first = 0; first < pixels; first += section) {
        const size_t left = pixels - first;
        function(rgb + 3 * first, left < section ? left : section, w, grey + first);
    }
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
 * Y of the 4 pixels in the lowest 12 bytes of `four`, as 4 integers of 32 bits. */
__attribute__((target("ssse3"))) static inline __m128i sums_of_4(__m128i four, struct weights w) {
    const __m128i pick_rg = _mm_setr_epi8(0, -1, 1, -1, 3, -1, 4, -1, 6, -1, 7, -1, 9, -1, 10, -1);
    const __m128i pick_b =
        _mm_setr_epi8(2, -1, -1, -1, 5, -1, -1, -1, 8, -1, -1, -1, 11, -1, -1, -1);
    const __m128i weigh_rg = _mm_set1_epi32(w.g << 16 | w.r);
    const __m128i weigh_b = _mm_set1_epi32(w.b);

    const __m128i rg = _mm_madd_epi16(_mm_shuffle_epi8(four, pick_rg), weigh_rg);
    const __m128i b = _mm_madd_epi16(_mm_shuffle_epi8(four, pick_b), weigh_b);
    const __m128i sum = _mm_add_epi32(_mm_add_epi32(rg, b), _mm_set1_epi32(16384));
    return _mm_srli_epi32(sum, 15);
}

__attribute__((target("ssse3"))) static void convert_sse(const uint8_t *rgb, size_t pixels,
                                                         struct weights w, uint8_t *grey) {
    for (; pixels >= 16; pixels -= 16) {
        const __m128i low = _mm_loadu_si128((const __m128i *)rgb);
        const __m128i middle = _mm_loadu_si128((const __m128i *)(rgb + 16));
        const __m128i high = _mm_loadu_si128((const __m128i *)(rgb + 32));

        const __m128i y0 = sums_of_4(low, w);
        const __m128i y4 = sums_of_4(_mm_alignr_epi8(middle, low, 12), w);
        const __m128i y8 = sums_of_4(_mm_alignr_epi8(high, middle, 8), w);
        const __m128i y12 = sums_of_4(_mm_srli_si128(high, 4), w);

        const __m128i y0to7 = _mm_packs_epi32(y0, y4);
        const __m128i y8to15 = _mm_packs_epi32(y8, y12);
        _mm_storeu_si128((__m128i *)grey, _mm_packus_epi16(y0to7, y8to15));
        rgb += 48;
        grey += 16;
    }
    convert_plain(rgb, pixels, w, grey);
}

void grey_sse(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    share_out(convert_sse, rgb, width, height, w, grey);
}

/* ---- part D: 32 pixels at a time ---- */

/* sums_of_4() in both lanes: Y of the 4 pixels in the lowest 12 bytes of each half of `eight`. */
__attribute__((target("avx2"))) static inline __m256i sums_of_8(__m256i eight, struct weights w) {
    const __m256i pick_rg = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, -1, 1, -1, 3, -1, 4, -1, 6, -1, 7, -1, 9, -1, 10, -1));
    const __m256i pick_b = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(2, -1, -1, -1, 5, -1, -1, -1, 8, -1, -1, -1, 11, -1, -1, -1));
    const __m256i weigh_rg = _mm256_set1_epi32(w.g << 16 | w.r);
    const __m256i weigh_b = _mm256_set1_epi32(w.b);

    const __m256i rg = _mm256_madd_epi16(_mm256_shuffle_epi8(eight, pick_rg), weigh_rg);
    const __m256i b = _mm256_madd_epi16(_mm256_shuffle_epi8(eight, pick_b), weigh_b);
    const __m256i sum = _mm256_add_epi32(_mm256_add_epi32(rg, b), _mm256_set1_epi32(16384));
    return _mm256_srli_epi32(sum, 15);
}

__attribute__((target("avx2"))) static void convert_avx2(const uint8_t *rgb, size_t pixels,
                                                         struct weights w, uint8_t *grey) {
    for (; pixels >= 32; pixels -= 32) {
        const __m256i lanes01 = _mm256_load_si256((const __m256i *)rgb);
        const __m256i lanes23 = _mm256_load_si256((const __m256i *)(rgb + 32));
        const __m256i lanes45 = _mm256_load_si256((const __m256i *)(rgb + 64));
        const __m256i low = _mm256_blend_epi32(lanes01, lanes23, 0xf0);
        const __m256i middle = _mm256_permute2x128_si256(lanes01, lanes45, 0x21);
        const __m256i high = _mm256_blend_epi32(lanes23, lanes45, 0xf0);

        const __m256i y0 = sums_of_8(low, w);
        const __m256i y4 = sums_of_8(_mm256_alignr_epi8(middle, low, 12), w);
        const __m256i y8 = sums_of_8(_mm256_alignr_epi8(high, middle, 8), w);
        const __m256i y12 = sums_of_8(_mm256_srli_si256(high, 4), w);

        const __m256i y0to7 = _mm256_packs_epi32(y0, y4);
        const __m256i y8to15 = _mm256_packs_epi32(y8, y12);
        _mm256_store_si256((__m256i *)grey, _mm256_packus_epi16(y0to7, y8to15));
        rgb += 96;
        grey += 32;
    }
    convert_plain(rgb, pixels, w, grey);
}

void grey_avx2(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    share_out(convert_avx2, rgb, width, height, w, grey);
}

#else /* another family of processors: nobody calls these, and parts C and D are skipped */

void grey_sse(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    grey_rows(rgb, width, height, w, grey);
}

void grey_avx2(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    grey_rows(rgb, width, height, w, grey);
}

#endif
