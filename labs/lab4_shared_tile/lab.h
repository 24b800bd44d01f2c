/* Lab 4: a tile of the image, with its apron, in shared memory.
 *
 *   h(x, y) = sum over a, b in -r..r of f(x + a, y + b) g(a, b)    (Ichimura, 2018, Eq. 1)
 *
 * This is correlation: the mask is not flipped. f is `image`, g is the mask, h is `out`:
 *
 *   image   height x width floats, row by row: f(x, y) is image[y * width + x]
 *   mask    (2r+1) x (2r+1) floats, row by row: g(a, b) is mask[(b + r) * (2r + 1) + (a + r)]
 *   radius  r; the mask may be larger than the image
 *   border  what f is outside the image: BORDER_ZERO: 0; BORDER_REPLICATE: the nearest pixel
 *   out     height x width floats; the function writes all of them, whatever they were before
 *
 * A block computes a *tile* of h. It needs the same tile of f and the *apron*, the r pixels beyond
 * the tile on every side. It loads both into shared memory once, waits at a barrier, and computes
 * from shared memory.
 *
 * width is 1 to 2^30, height 1 to 65535 (a grid has no more blocks in y), and there are fewer than
 * 2^31 pixels; pixels and coefficients are finite, and so is their sum. The prefix of a pointer
 * says where it points: h_ to the host's memory, d_ to the device's; c_ is for constant memory, s_
 * for shared memory. An address of device memory is one that cudaMalloc() returned: a multiple of
 * 256 bytes.
 *
 * Every function returns cudaSuccess, or the error of the call that failed, and need not wait for
 * the kernel that it launches: what a caller queues in the default stream afterwards finds the
 * result. The caller owns every buffer that it passes in, and inputs stay as they are. No function
 * calls or copies the baseline.
 */
#ifndef CONVLABS_LAB4_H
#define CONVLABS_LAB4_H

#include "border.h"
#include "mask.h"

#include <cuda_runtime_api.h>

/* The side of the tile of part C. */
#ifndef DYNAMIC_TILE
#define DYNAMIC_TILE 32
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Given in the student's file: copies the mask of parts A, B and D to constant memory, where it
 * stays until the next call. Returns cudaErrorInvalidValue, and changes nothing, for a radius below
 * 0 or above MASK_MAX_RADIUS. */
cudaError_t set_mask(const float *h_mask, int radius);

/* Parts A, B, D: launch a kernel that computes h with the mask of the last set_mask(); radius is
 * the radius of that mask. Return cudaErrorInvalidValue for a radius that set_mask() refuses.
 *
 *   A  one thread per pixel of tile *and* apron: all threads load, then those of the apron idle
 *   B  one thread per pixel of the tile: all threads load, some of them several pixels; all compute
 *   D  one thread for several pixels: it reads a pixel of the tile once and uses it for all of them
 */
cudaError_t correlate_idle(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out);
cudaError_t correlate_tile(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out);
cudaError_t correlate_register(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out);

/* Part C: as part B, for a mask in global memory and any radius that fits. Dynamic shared memory
 * holds the tile of DYNAMIC_TILE x DYNAMIC_TILE pixels with its apron, followed by the mask:
 *
 *   ((DYNAMIC_TILE + 2r)^2 + (2r + 1)^2) * sizeof(float) bytes
 *
 * Returns cudaErrorInvalidValue, and launches nothing, for a negative radius and for a radius that
 * needs more shared memory than a block of this device can have
 * (cudaDevAttrMaxSharedMemoryPerBlockOptin). Every smaller radius works: up to 76 if the limit is
 * 227 KB. */
cudaError_t correlate_dynamic(const float *d_image, int width, int height, const float *d_mask,
                              int radius, enum border border, float *d_out);

/* Given: the baseline, the version to beat: lab 3's kernel, with the mask in constant memory and no
 * shared memory. */
cudaError_t baseline_set_mask(const float *h_mask, int radius);
cudaError_t baseline_correlate(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out);

#ifdef __cplusplus
}
#endif

#endif
