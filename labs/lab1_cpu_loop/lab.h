/* Lab 1: correlation of an image with a mask, on the CPU, in three versions.
 *
 *   h(x, y) = sum over a, b in -r..r of f(x + a, y + b) g(a, b)    (Ichimura, 2018, Eq. 1)
 *
 * This is correlation: the mask is not flipped. f is `image`, g is `mask`, h is `out`:
 *
 *   image   height x width floats, row by row: f(x, y) is image[y * width + x]
 *   mask    (2r+1) x (2r+1) floats, row by row: g(a, b) is mask[(b + r) * (2r + 1) + (a + r)]
 *   radius  r, 0 or more; the mask may be larger than the image
 *   border  what f is outside the image: BORDER_ZERO: 0; BORDER_REPLICATE: the nearest pixel
 *   out     height x width floats; the function writes all of them and must not rely on their old
 *           values. `out` does not overlap the image or the mask
 *
 * An array of floats begins at any multiple of 4 bytes, also where a row has 4 n pixels.
 *
 * width and height are 1 or more; pixels and coefficients are finite, and so is their sum. The
 * functions cannot fail, allocate no memory and own no memory. What they leave behind, such as the
 * processor's rounding mode, must not change a later call. They neither call nor copy the
 * baseline.
 */
#ifndef CONVLABS_LAB1_H
#define CONVLABS_LAB1_H

#include "border.h"

/* Part A: four nested loops: over y, over x, and over the rows and columns of the mask. */
void correlate_loops(const float *image, int width, int height, const float *mask, int radius,
                     enum border border, float *out);

/* Part B: the same result with the loops in another order. The innermost loop adds one tap of the
 * mask along a row of the image and has no test inside, so that the compiler can vectorize it. */
void correlate_rows(const float *image, int width, int height, const float *mask, int radius,
                    enum border border, float *out);

/* Part C: as part B, with the rows of `out` divided among the cores by OpenMP. The result is the
 * same, bit for bit, for any value of omp_get_max_threads(). */
void correlate_openmp(const float *image, int width, int height, const float *mask, int radius,
                      enum border border, float *out);

/* Given: the baseline, the version to beat. Slow: the four loops column by column, x outermost. */
void baseline_correlate(const float *image, int width, int height, const float *mask, int radius,
                        enum border border, float *out);

#endif
