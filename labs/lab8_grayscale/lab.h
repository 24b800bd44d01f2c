/* Lab 8, parts A to D: from colour to grey on the CPU. Part E is in lab_cuda.h.
 *
 *   Y = (r R + g G + b B + 16384) >> 15          (Ichimura, 2018, section 4, with rounding)
 *
 * R, G and B are bytes; r, g and b are the weights in units of 1/32768, so that the sum is exact
 * and is rounded once, to nearest, with a half rounded up. So exactly one result is correct, to the
 * last bit, with any arithmetic: the sum is below 2^23 + 2^14, which fits in an int and in the 24
 * bits of a float.
 *
 *   rgb     height x width x 3 bytes, row by row without gaps: R of pixel (x, y) is
 *           rgb[3 * (y * width + x)], G and B are the two bytes after it
 *   grey    height x width bytes: Y of (x, y) is grey[y * width + x]. The function writes all of
 *           them, whatever they were before; grey does not overlap rgb
 *
 * width and height are 1 or more; their product may be above 2^31, so use size_t for pixel counts.
 * Do not access memory beyond the last byte of either image, not even to read it: an unmapped page
 * may begin there.
 *
 * The functions cannot fail, allocate no memory and own no memory. The result does not depend on
 * omp_get_max_threads(). They leave the rounding mode and the other settings of floating-point
 * arithmetic as they were, and no registers of MMX in use.
 */
#ifndef CONVLABS_LAB8_H
#define CONVLABS_LAB8_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each is 0 to 32767, which fits in a signed 16-bit integer; their sum is 32768, so that white
 * stays white. */
struct weights {
    int r, g, b;
};

/* The two sets of the sources: 0.2126, 0.7152, 0.0722 (000; ITU-R BT.709) and 0.299, 0.587, 0.114
 * (001; BT.601), rounded; the last weight of each is rounded down, so that the sum is 32768. */
#define WEIGHTS_709 {6966, 23436, 2366}
#define WEIGHTS_601 {9798, 19235, 3735}

/* Part A: as baseline_grey(), with the pixels divided among the cores by OpenMP. Here, and only
 * here, there are at most 2^31 - 1 pixels: where two loops over ints are collapsed to one, gcc
 * counts its iterations in an int. */
void grey_openmp(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey);

/* Part B: the same result in memory order: each thread has one contiguous section of the image and
 * goes through it with two pointers. */
void grey_rows(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey);

/* Part C: as part B, 16 pixels at a time in registers of 128 bits. Called only on a processor with
 * SSSE3 (x86-64 since 2006). */
void grey_sse(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey);

/* Part D: as part B, 32 pixels at a time in registers of 256 bits. Called only on a processor with
 * AVX2 (x86-64 since 2013), with rgb and grey multiples of 32. */
void grey_avx2(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey);

/* Given: the baseline, the version to beat. Slow: one pixel after the other, column by column. */
void baseline_grey(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey);

#ifdef __cplusplus
}
#endif

#endif
