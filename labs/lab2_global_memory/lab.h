/* Lab 2: the first kernel, and the host code around it.
 *
 *   h(x, y) = sum over a, b in -r..r of f(x + a, y + b) g(a, b)          (source 000, Eq. 1)
 *
 * This is correlation: the mask is not flipped. f is `image`, g is `mask`, h is `out`:
 *
 *   image   height x width floats, row by row: f(x, y) is image[y * width + x]
 *   mask    (2r+1) x (2r+1) floats, row by row: g(a, b) is mask[(b + r) * (2r + 1) + (a + r)]
 *   radius  r, 0 or more; the mask may be larger than the image
 *   border  what f is outside the image: BORDER_ZERO: 0; BORDER_REPLICATE: the nearest pixel
 *   out     height x width floats, all to be written; what was there before means nothing
 *
 * width and height are 1 or more; their product may be above 2^31, so count bytes in size_t.
 * The prefix of a pointer says where it points: h_ to the host's memory, d_ to the device's.
 *
 * Every function returns cudaSuccess, or the error of the first call that failed; it then has freed
 * all that it allocated. The caller owns every buffer that is passed in.
 */
#ifndef CONVLABS_LAB2_H
#define CONVLABS_LAB2_H

#include "border.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Part A: launches a kernel that computes h, one thread a pixel, and returns what
 * cudaGetLastError() says of the launch. Need not wait for the kernel to finish. */
cudaError_t correlate_device(const float *d_image, int width, int height, const float *d_mask,
                             int radius, enum border border, float *d_out);

/* Part B: the same for pointers of the host: allocates, copies there, launches, copies back, frees.
 * Calls cudaMalloc three times and cudaMemcpy three times: image, mask, then out. */
cudaError_t correlate_host(const float *h_image, int width, int height, const float *h_mask,
                           int radius, enum border border, float *h_out);

/* What kind of host memory the image is copied through on its way to the device. */
enum host_memory {
    HOST_PAGEABLE,       /* malloc() */
    HOST_PINNED,         /* cudaHostAlloc(), cudaHostAllocDefault */
    HOST_WRITE_COMBINED, /* cudaHostAlloc(), cudaHostAllocWriteCombined */
};

/* Part C: as part B, but the image first goes, row by row or whole, into a staging buffer of that
 * kind, which is what is copied to the device. Mask and result are copied as in part B. Returns
 * cudaErrorInvalidValue for another kind, cudaErrorMemoryAllocation when malloc() fails. */
cudaError_t correlate_staged(enum host_memory kind, const float *h_image, int width, int height,
                             const float *h_mask, int radius, enum border border, float *h_out);

/* Part D: as part A, and bit for bit what four loops on a CPU give that take the taps row by row
 * (b outermost, then a, both from -r up), leave out the taps outside a zero border, and round each
 * product and each sum to float, to nearest. Whatever nvcc's --fmad says. */
cudaError_t correlate_identical(const float *d_image, int width, int height, const float *d_mask,
                                int radius, enum border border, float *d_out);

/* Given: the loop of lab 1 on the CPU, the version to beat. */
void baseline_correlate(const float *image, int width, int height, const float *mask, int radius,
                        enum border border, float *out);

#ifdef __cplusplus
}
#endif

#endif
