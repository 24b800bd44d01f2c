/* Lab 2: the first kernel, and the host code around it.
 *
 * What to do   Fill in the TODOs, in order: two for part A, one each for parts B and C, two for
 *              part D. labs/lab2_global_memory/lab.h says what each function must do.
 * Build        make lab2                  (make lab2-test: unit tests)
 * Grade        ./grade lab2               (no GPU needed: a simulator runs this file)
 * One check    ./grade lab2 -k "one row"
 * Stuck?       ./grade hint lab2 A
 * The idea     handouts/lab2.md
 */
#include "lab.h"

#include <stdlib.h>
#include <string.h>

/* A block is as wide as a warp, so that its 32 lanes read 32 neighbouring pixels of a row. */
enum { BLOCK_WIDTH = 32, BLOCK_HEIGHT = 8 };

/* Returns `value`, or the nearer end of low..high if it is outside that range. */
inline __device__ int clamp(int value, int low, int high) {
    return min(max(value, low), high);
}

/* How many groups of `size` cover `count` things; the last group may be partly filled. */
inline unsigned ceil_div(int count, int size) {
    return (unsigned)((count + size - 1) / size);
}

/* ---- part A: one thread per pixel ---- */

__global__ void correlate_kernel(const float *d_image, int width, int height, const float *d_mask,
                                 int radius, enum border border, float *d_out) {
    /* TODO 1: compute this thread's pixel (x, y) from blockIdx, blockDim and threadIdx, and return
     * if it is outside the image. Then sum the taps as in lab 1, with the two loops over the mask
     * but without the two loops over the pixels.  (about 20 lines) */
    (void)d_image, (void)width, (void)height, (void)d_mask, (void)radius, (void)border;
    (void)d_out;
}

cudaError_t correlate_device(const float *d_image, int width, int height, const float *d_mask,
                             int radius, enum border border, float *d_out) {
    /* TODO 2: launch correlate_kernel with blocks of BLOCK_WIDTH x BLOCK_HEIGHT threads, and enough
     * blocks to cover the image: ceil_div() rounds up. A launch returns no error itself, so return
     * what cudaGetLastError() returns after it.  (about 4 lines) */
    (void)d_image, (void)width, (void)height, (void)d_mask, (void)radius, (void)border;
    (void)d_out;
    return cudaErrorNotSupported;
}

/* ---- part B: the host code ---- */

cudaError_t correlate_host(const float *h_image, int width, int height, const float *h_mask,
                           int radius, enum border border, float *h_out) {
    /* TODO 3: allocate device memory for image, mask and result (three cudaMalloc), copy the image
     * and the mask to it (two cudaMemcpy), call correlate_device(), copy the result back (the third
     * cudaMemcpy), and free the memory. After the first error, make no further call but cudaFree,
     * and return that error. cudaFree(NULL) does nothing, so all paths can end with the same calls.
     * (about 26 lines) */
    (void)h_image, (void)width, (void)height, (void)h_mask, (void)radius, (void)border;
    (void)h_out;
    return cudaErrorNotSupported;
}

/* ---- part C: pageable, pinned, write-combined ---- */

cudaError_t correlate_staged(enum host_memory kind, const float *h_image, int width, int height,
                             const float *h_mask, int radius, enum border border, float *h_out) {
    /* TODO 4: allocate a staging buffer of the size of the image: malloc() for HOST_PAGEABLE,
     * cudaHostAlloc() with cudaHostAllocDefault or cudaHostAllocWriteCombined for the other two;
     * return cudaErrorInvalidValue for any other kind. Copy the image into the buffer (never read
     * it), call correlate_host() with it, and release it with the function that fits its kind.
     * (about 22 lines) */
    (void)kind, (void)h_image, (void)width, (void)height, (void)h_mask, (void)radius;
    (void)border, (void)h_out;
    return cudaErrorNotSupported;
}

/* ---- part D: bit-identical to the CPU ---- */

__global__ void identical_kernel(const float *d_image, int width, int height, const float *d_mask,
                                 int radius, enum border border, float *d_out) {
    /* TODO 5: as correlate_kernel, but nvcc must not fuse a product and a sum into one operation
     * with one rounding: __fmul_rn(p, q) and __fadd_rn(p, q) are never fused. The order of the taps
     * now matters: rows b from -radius up, and in each row a from -radius up.  (about 21 lines) */
    (void)d_image, (void)width, (void)height, (void)d_mask, (void)radius, (void)border;
    (void)d_out;
}

cudaError_t correlate_identical(const float *d_image, int width, int height, const float *d_mask,
                                int radius, enum border border, float *d_out) {
    /* TODO 6: launch identical_kernel as in part A.  (about 4 lines) */
    (void)d_image, (void)width, (void)height, (void)d_mask, (void)radius, (void)border;
    (void)d_out;
    return cudaErrorNotSupported;
}
