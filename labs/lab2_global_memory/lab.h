/* Lab 2: the first kernel, and the host code around it.
 *
 *   h(x, y) = sum over a, b in -r..r of f(x + a, y + b) g(a, b)    (Ichimura, 2018, Eq. 1)
 *
 * This is correlation: the mask is not flipped. f is `image`, g is `mask`, h is `out`:
 *
 *   image   height x width floats, row by row: f(x, y) is image[y * width + x]
 *   mask    (2r+1) x (2r+1) floats, row by row: g(a, b) is mask[(b + r) * (2r + 1) + (a + r)]
 *   radius  r, 0 or more; the mask may be larger than the image
 *   border  what f is outside the image: BORDER_ZERO: 0; BORDER_REPLICATE: the nearest pixel
 *   out     height x width floats; the function writes all of them, whatever they were before
 *
 * width is 1 to 2^30, height 1 to 65535 (a grid has no more blocks in y); their product may be
 * above 2^31, so use size_t for byte counts.
 * The prefix of a pointer says where it points: h_ to the host's memory, d_ to the device's.
 * An address of device memory is one that cudaMalloc() returned: a multiple of 256 bytes.
 *
 * Every function returns cudaSuccess, or the error of the first call that failed. Even then it has
 * freed everything that it allocated; the result of a call that only frees need not be checked. The
 * caller owns every buffer that it passes in, and inputs stay as they are; a host array begins at
 * any multiple of 4 bytes. Pixels and coefficients are finite. What a caller queues in the default
 * stream afterwards finds the result. No function calls or copies the baseline.
 */
#ifndef CONVLABS_LAB2_H
#define CONVLABS_LAB2_H

#include "border.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Part A: launches a kernel that computes h, one thread per pixel, and returns what
 * cudaGetLastError() returns after the launch. Need not wait for the kernel to finish. */
cudaError_t correlate_device(const float *d_image, int width, int height, const float *d_mask,
                             int radius, enum border border, float *d_out);

/* Part B: the same for host pointers: allocates device memory, copies the image and the mask to it,
 * launches, copies the result back, frees. Calls cudaMalloc three times and cudaMemcpy three times:
 * for the image, the mask and then out. */
cudaError_t correlate_host(const float *h_image, int width, int height, const float *h_mask,
                           int radius, enum border border, float *h_out);

/* The kind of host memory from which the image is copied to the device. */
enum host_memory {
    HOST_PAGEABLE,       /* malloc() */
    HOST_PINNED,         /* cudaHostAlloc(), cudaHostAllocDefault */
    HOST_WRITE_COMBINED, /* cudaHostAlloc(), cudaHostAllocWriteCombined */
};

/* Part C: as part B, but first copies the image, row by row or as a whole, into a staging buffer of
 * that kind of memory, and then copies that buffer to the device. Copies the mask and the result as
 * in part B. Returns cudaErrorInvalidValue for an unknown kind, and cudaErrorMemoryAllocation when
 * malloc() fails. */
cudaError_t correlate_staged(enum host_memory kind, const float *h_image, int width, int height,
                             const float *h_mask, int radius, enum border border, float *h_out);

/* Part D: as part A, but the result is bit-identical to that of four loops on a CPU which add the
 * taps row by row (b outermost, then a, both from -r up), skip the taps outside a zero border, and
 * round each product and each sum to the nearest float; -0 counts as 0. nvcc's --fmad must not
 * change that. */
cudaError_t correlate_identical(const float *d_image, int width, int height, const float *d_mask,
                                int radius, enum border border, float *d_out);

/* Given: the baseline, the version to beat: the loops of lab 1 on the CPU. */
void baseline_correlate(const float *image, int width, int height, const float *mask, int radius,
                        enum border border, float *out);

#ifdef __cplusplus
}
#endif

#endif
