/* Lab 6: the same two passes, with as few sectors and wavefronts per load of a warp as possible.
 *
 *   t(x, y) = sum over a in -r..r of f(x + a, y) row(a)                  the row pass
 *   h(x, y) = sum over b in -r..r of t(x, y + b) column(b)               the column pass
 *
 * This is lab 5's separable correlation; nothing is flipped. f is `image`, h is `out`:
 *
 *   image   height x width floats, row by row: f(x, y) is image[y * width + x]
 *   line    2r+1 floats: row(a) is row[a + r], column(b) is column[b + r]
 *   radius  r, 0 to MASK_MAX_RADIUS; the lines may be longer than the image
 *   border  what f is outside the image: BORDER_ZERO: 0; BORDER_REPLICATE: the nearest pixel
 *   out     height x width floats; the function writes all of them, whatever they were before
 *
 * width is 1 to 2^30, height 1 to 65535 (a grid has no more blocks in y), and there are fewer than
 * 2^31 pixels; pixels and coefficients are finite; there is no padding between the rows. The prefix
 * of a pointer says where it points: h_ to the host's memory, d_ to the device's; c_ is for
 * constant memory. d_image, d_between and d_out are addresses as cudaMalloc() returns them:
 * multiples of 256 bytes.
 *
 * Every function returns cudaSuccess, or the error of the call that failed. A filter launches its
 * kernels with the lines of the last set_lines(); radius is the radius of these lines. It returns
 * what cudaGetLastError() returns after the launches, and need not wait for the kernels. d_between
 * is a buffer of height x width floats for the result of the row pass. The caller owns every buffer
 * that it passes in; no two buffers of a call overlap.
 *
 * The three filters compute the same result; each part limits other counters. You may use one
 * filter for several parts if it meets the limits of each (handouts/lab6.md); parts A and B load
 * one float per lane.
 */
#ifndef CONVLABS_LAB6_H
#define CONVLABS_LAB6_H

#include "border.h"
#include "mask.h"

#include <cuda_runtime_api.h>

#define LINE_MAX_LENGTH (2 * MASK_MAX_RADIUS + 1)

#ifdef __cplusplus
extern "C" {
#endif

/* Given: copies a column and a row, each a line of 2 * radius + 1 floats, to constant memory. All
 * launches until the next call use them. Returns cudaErrorInvalidValue, and changes nothing, for a
 * radius below 0 or above MASK_MAX_RADIUS. */
cudaError_t set_lines(const float *h_column, const float *h_row, int radius);

/* Part A: coalesced and aligned. If the width of the image is a multiple of 8, a load or a store of
 * 32 lanes touches at most 4 sectors of 32 bytes. */
cudaError_t filter_coalesced(const float *d_image, int width, int height, int radius,
                             enum border border, float *d_between, float *d_out);

/* Part B: as part A, and no access to shared memory has a bank conflict. */
cudaError_t filter_conflict_free(const float *d_image, int width, int height, int radius,
                                 enum border border, float *d_between, float *d_out);

/* Part C: as part B, with vector loads: it reads global memory as float4 if the length of the
 * image's rows is a multiple of 16 bytes, and each thread computes several pixels from values that
 * it reads only once. */
cudaError_t filter_vectorised(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_between, float *d_out);

/* Given: the baseline, the filter to improve: correct, but uncoalesced and with bank conflicts. */
cudaError_t baseline_set_lines(const float *h_column, const float *h_row, int radius);
cudaError_t baseline_filter(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_between, float *d_out);

#ifdef __cplusplus
}
#endif

#endif
