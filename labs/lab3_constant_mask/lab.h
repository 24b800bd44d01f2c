/* Lab 3: the mask in constant memory, and what a per-thread index does to it.
 *
 *   h(x, y) = sum over a, b in -r..r of f(x + a, y + b) g(a, b)    (Ichimura, 2018, Eq. 1)
 *
 * This is correlation: the mask is not flipped. f is `image`, g is the mask, h is `out`:
 *
 *   image   height x width floats, row by row: f(x, y) is image[y * width + x]
 *   mask    (2r+1) x (2r+1) floats, row by row: g(a, b) is mask[(b + r) * (2r + 1) + (a + r)]
 *   bank    PHASES masks of that shape, stored one after the other
 *   radius  r, 0 to MASK_MAX_RADIUS; the mask may be larger than the image
 *   border  what f is outside the image: BORDER_ZERO: 0; BORDER_REPLICATE: the nearest pixel
 *   out     height x width floats; the function writes all of them, whatever they were before
 *
 * width is 1 to 2^30, height 1 to 65535 (a grid has no more blocks in y), and there are fewer than
 * 2^31 pixels; pixels and coefficients are finite, and so is their sum. The prefix of a pointer
 * says where it points: h_ to the host's memory, d_ to the device's; c_ is for constant memory. An
 * address of device memory is one that cudaMalloc() returned: a multiple of 256 bytes.
 *
 * Every function returns cudaSuccess, or the error of the call that failed. The caller owns every
 * buffer that it passes in, and may change or free h_mask and h_bank once the function returns.
 * Inputs stay as they are. What a caller queues in the default stream afterwards finds the result.
 * No function calls or copies the baseline.
 */
#ifndef CONVLABS_LAB3_H
#define CONVLABS_LAB3_H

#include "border.h"
#include "mask.h"

#include <cuda_runtime_api.h>

#ifndef PHASES
#define PHASES 4
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Part A: copies the mask to constant memory with cudaMemcpyToSymbol(). All launches until the next
 * call use it. Returns cudaErrorInvalidValue, and changes nothing, for a radius below 0 or above
 * MASK_MAX_RADIUS. */
cudaError_t set_mask(const float *h_mask, int radius);

/* Part A: launches a kernel that computes h with the mask of the last set_mask(); radius is the
 * radius of that mask. Returns what cudaGetLastError() returns after the launch. Need not wait for
 * the kernel. Returns cudaErrorInvalidValue for a radius that set_mask() refuses. */
cudaError_t correlate_constant(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out);

/* Part B: as set_mask(), for a bank. */
cudaError_t set_bank(const float *h_bank, int radius);

/* Part B: as correlate_constant(), but column x of the image uses mask x mod PHASES of the bank:
 *
 *   h(x, y) = sum over a, b in -r..r of f(x + a, y + b) g_(x mod PHASES)(a, b)
 *
 * The kernel reads the bank from constant memory, and in each read all lanes of a warp read the
 * same coefficient. */
cudaError_t correlate_polyphase(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_out);

/* Given: the baseline, the version to beat in part A: the mask in global memory. */
cudaError_t baseline_correlate(const float *d_image, int width, int height, const float *d_mask,
                               int radius, enum border border, float *d_out);

/* Given: the baseline, the version to beat in part B: the bank in constant memory, indexed with
 * x % PHASES, so that in each read the lanes of a warp read PHASES different coefficients. */
cudaError_t baseline_set_bank(const float *h_bank, int radius);
cudaError_t baseline_polyphase(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out);

#ifdef __cplusplus
}
#endif

#endif
