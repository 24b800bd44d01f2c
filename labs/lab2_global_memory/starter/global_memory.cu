/* Lab 2: the first kernel, and the host code around it.
 *
 * What to do   Fill in the TODOs, in order: two for part A, one each for parts B and C, two for
 *              part D. labs/lab2_global_memory/lab.h says what each function must do.
 * Build, grade make lab2 && ./grade lab2          (no GPU needed: a simulator runs this file)
 * One check    ./grade lab2 -k "one row"
 * Unit tests   make lab2-test
 * Stuck?       ./grade hint lab2 A
 * The idea     handouts/lab2.md
 */
#include "lab.h"

#include <stdlib.h>
#include <string.h>

/* A block is as wide as a warp, so that the 32 lanes of a warp read 32 neighbours of one row. */
enum { BLOCK_WIDTH = 32, BLOCK_HEIGHT = 8 };

/* `value`, or the nearer end of low..high when it lies outside. */
inline __device__ int clamp(int value, int low, int high) {
    return min(max(value, low), high);
}

/* How many groups of `size` cover `count` things, the last one perhaps in part. */
inline unsigned ceil_div(int count, int size) {
    return (unsigned)((count + size - 1) / size);
}

/* ---- part A: one thread a pixel ---- */

__global__ void correlate_kernel(const float *d_image, int width, int height, const float *d_mask,
                                 int radius, enum border border, float *d_out) {
    /* TODO 1: find this thread's pixel (x, y) from blockIdx, blockDim and threadIdx, and return
     * when it lies outside the image. Then sum the taps as in lab 1: the two loops over the pixels
     * are gone, the two over the mask stay.  (about 20 lines) */
    (void)d_image, (void)width, (void)height, (void)d_mask, (void)radius, (void)border;
    (void)d_out;
}

cudaError_t correlate_device(const float *d_image, int width, int height, const float *d_mask,
                             int radius, enum border border, float *d_out) {
    /* TODO 2: launch correlate_kernel with blocks of BLOCK_WIDTH x BLOCK_HEIGHT threads, as many as
     * it takes to cover the image: ceil_div() rounds up. A launch returns nothing; return what
     * cudaGetLastError() says of it.  (about 4 lines) */
    (void)d_image, (void)width, (void)height, (void)d_mask, (void)radius, (void)border;
    (void)d_out;
    return cudaErrorNotSupported;
}

/* ---- part B: the host's side ---- */

cudaError_t correlate_host(const float *h_image, int width, int height, const float *h_mask,
                           int radius, enum border border, float *h_out) {
    /* TODO 3: allocate device memory for image, mask and result (three cudaMalloc), copy the image
     * and the mask there (two cudaMemcpy), call correlate_device(), copy the result back (the third
     * cudaMemcpy), free. Keep the first error, make no further call but cudaFree after it, and
     * return it: cudaFree(NULL) is harmless, so one place can free for all paths.
     * (about 26 lines) */
    (void)h_image, (void)width, (void)height, (void)h_mask, (void)radius, (void)border;
    (void)h_out;
    return cudaErrorNotSupported;
}

/* ---- part C: what the copy starts from ---- */

cudaError_t correlate_staged(enum host_memory kind, const float *h_image, int width, int height,
                             const float *h_mask, int radius, enum border border, float *h_out) {
    /* TODO 4: get a staging buffer of the size of the image: malloc() for HOST_PAGEABLE,
     * cudaHostAlloc() with cudaHostAllocDefault or cudaHostAllocWriteCombined for the other two,
     * cudaErrorInvalidValue for any other kind. Fill it with the image, only ever writing to it,
     * let correlate_host() copy from it, release it with what goes with its kind.
     * (about 22 lines) */
    (void)kind, (void)h_image, (void)width, (void)height, (void)h_mask, (void)radius;
    (void)border, (void)h_out;
    return cudaErrorNotSupported;
}

/* ---- part D: the CPU's bits ---- */

__global__ void identical_kernel(const float *d_image, int width, int height, const float *d_mask,
                                 int radius, enum border border, float *d_out) {
    /* TODO 5: as correlate_kernel, but nvcc must not fuse a product and a sum into one operation
     * with one rounding: __fmul_rn(p, q) and __fadd_rn(p, q) are never fused. The order of the taps
     * matters now: rows b from -radius up, in each a from -radius up.  (about 21 lines) */
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
