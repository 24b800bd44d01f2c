/* Lab 5: a mask that is a column times a row, and the two short passes that replace one long one.
 *
 *   h(x, y) = sum over a, b in -r..r of f(x + a, y + b) g(a, b)    (Ichimura, 2018, Eq. 1)
 *
 * and if g(a, b) = column(b) row(a) for all a and b,
 *
 *   t(x, y) = sum over a in -r..r of f(x + a, y) row(a)                  the row pass
 *   h(x, y) = sum over b in -r..r of t(x, y + b) column(b)               the column pass
 *
 * This is correlation: nothing is flipped. f is `image`, g is the mask, h is `out`:
 *
 *   image   height x width floats, row by row: f(x, y) is image[y * width + x]
 *   mask    (2r+1) x (2r+1) floats, row by row: g(a, b) is mask[(b + r) * (2r + 1) + (a + r)]
 *   line    2r+1 floats, a column or a row of a mask: row(a) is row[a + r]
 *   radius  r, 0 to MASK_MAX_RADIUS; the mask may be larger than the image
 *   border  what f is outside the image: BORDER_ZERO: 0; BORDER_REPLICATE: the nearest pixel
 *   out     height x width floats; the function writes all of them, whatever they were before
 *
 * A coefficient is 0, or its magnitude is from 1e-18 to 1e18: a product of two stays in float's
 * range. Pixels are finite, and so are the sums. width is 1 to 2^30, height 1 to 65535 (a grid has
 * no more blocks in y), and there are fewer than 2^31 pixels. The prefix of a pointer says where it
 * points: h_ to the host's memory, d_ to the device's; c_ is for constant memory. An address of
 * device memory is one that cudaMalloc() returned: a multiple of 256 bytes.
 *
 * Every function of type cudaError_t returns cudaSuccess, or the error of the call that failed.
 * The caller owns every buffer that it passes in; no two buffers of a call overlap.
 */
#ifndef CONVLABS_LAB5_H
#define CONVLABS_LAB5_H

#include "border.h"
#include "mask.h"

#include <cuda_runtime_api.h>

#define LINE_MAX_LENGTH (2 * MASK_MAX_RADIUS + 1)

/* A mask is separable when for all a, b, p, q in -r..r
 *
 *   |g(a, b) g(p, q) - g(p, b) g(a, q)| <= SEPARABLE_TOLERANCE |g(a, b) g(p, q)|
 *
 * Without rounding the two products would be equal (rank 1: each row is a multiple of any other).
 * The tolerance is 16 u, where u = 2^-24 is the unit roundoff of float. With four coefficients,
 * each rounded up to three times when the mask was computed, the error is up to 12 u; rounding a
 * quotient of them to float makes it 13 u. Compute the products in double, which holds a product
 * of two floats exactly. */
#define SEPARABLE_TOLERANCE (1.0 / (1 << 20))

#ifdef __cplusplus
extern "C" {
#endif

enum separation { SEPARABLE, NOT_SEPARABLE };

/* Why a mask is not separable: indices a, b, p, q for which the condition above does not hold. */
struct contradiction {
    int a, b, p, q;
};

/* Given (you wrote something similar in lab 3): copies a column and a row, each a line of
 * 2 * radius + 1 floats, to constant memory. All launches until the next call use them. Returns
 * cudaErrorInvalidValue, and changes nothing, for a radius below 0 or above MASK_MAX_RADIUS. */
cudaError_t set_lines(const float *h_column, const float *h_row, int radius);

/* Part A: launches the row pass, d_out(x, y) = t(x, y), with the row of the last set_lines();
 * radius is the radius of that row. Returns what cudaGetLastError() returns after the launch; need
 * not wait for the kernel. */
cudaError_t correlate_rows(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out);

/* Part B: as correlate_rows(), but the column pass with the column of the last set_lines():
 * d_out(x, y) = sum over b of f(x, y + b) column(b). */
cudaError_t correlate_columns(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_out);

/* Part B, on the host: finds a column and a row with
 *
 *   |column(b) row(a) - g(a, b)| <= SEPARABLE_TOLERANCE |g(a, b)|   for all a and b
 *
 * writes them to h_column and h_row (2 * radius + 1 floats each) and returns SEPARABLE, also for a
 * mask of zeros. If the mask is not separable, writes the indices of four coefficients that prove
 * it to `why` and returns NOT_SEPARABLE. You may scale the column by any factor and the row by its
 * inverse. */
enum separation separate(const float *h_mask, int radius, float *h_column, float *h_row,
                         struct contradiction *why);

/* Part B: both passes. d_between is a buffer of height x width floats for the row pass. */
cudaError_t correlate_separable(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_between, float *d_out);

/* Part C: both passes in one kernel, with nothing in global memory between them: it reads the image
 * into a tile and writes d_out once. */
cudaError_t correlate_fused(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_out);

/* Given: the baseline, the version to beat: the mask in constant memory and a tile with its apron
 * in shared memory, as in lab 4; (2r+1)^2 taps per pixel. */
cudaError_t baseline_set_mask(const float *h_mask, int radius);
cudaError_t baseline_correlate(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out);

#ifdef __cplusplus
}
#endif

#endif
