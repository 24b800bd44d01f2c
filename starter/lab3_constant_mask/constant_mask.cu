/* Lab 3: the mask in constant memory, and what a per-thread index does to it.
 *
 * What to do   Fill in the TODOs, in order: three for part A, three for part B.
 *              labs/lab3_constant_mask/lab.h says what each function must do.
 * Build        make lab3                  (make lab3-test: unit tests)
 * Grade        ./grade lab3               (no GPU needed: a simulator runs this file)
 * One check    ./grade lab3 -k "one row"
 * Stuck?       ./grade hint lab3 A
 * The idea     handouts/lab3.md
 */
#include "lab.h"

/* A block is as wide as a warp, so that its 32 lanes read 32 neighbouring pixels of a row. */
enum { BLOCK_WIDTH = 32, BLOCK_HEIGHT = 8 };

/* Constant memory: at most 64 KB, written by the host. All threads read it through a cache that
 * delivers one word at a time to a whole warp. The arrays have room for the largest mask; a smaller
 * one fills their beginning, row by row. */
__constant__ float c_mask[MASK_MAX_SIZE];
__constant__ float c_bank[PHASES * MASK_MAX_SIZE];

inline bool radius_allowed(int radius) {
    return radius >= 0 && radius <= MASK_MAX_RADIUS;
}

/* How many groups of `size` cover `count` things; the last group may be partly filled. */
inline unsigned ceil_div(int count, int size) {
    return (unsigned)((count + size - 1) / size);
}

/* Returns f(x, y), with the border. */
inline __device__ float pixel(const float *d_image, int width, int height, int x, int y,
                              enum border border) {
    const int column = min(max(x, 0), width - 1);
    const int row = min(max(y, 0), height - 1);
    const bool outside = column != x || row != y;
    return outside && border == BORDER_ZERO ? 0.0f : d_image[(size_t)row * width + column];
}

/* ---- part A: one mask for all columns ---- */

cudaError_t set_mask(const float *h_mask, int radius) {
    /* TODO 1: return cudaErrorInvalidValue for a radius that is not allowed. Otherwise copy the
     * (2 radius + 1)^2 coefficients to c_mask with cudaMemcpyToSymbol() and return what it returns.
     * (about 5 lines) */
    (void)h_mask, (void)radius;
    return cudaErrorNotSupported;
}

__global__ void constant_kernel(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_out) {
    /* TODO 2: compute one pixel per thread, as in lab 2, with coefficients from c_mask and pixels
     * from pixel(). All lanes of a warp are at the same tap at the same time, so they all read the
     * same word of c_mask: one read serves the whole warp.  (about 14 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
}

cudaError_t correlate_constant(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    /* TODO 3: refuse a radius that is not allowed, launch constant_kernel with enough blocks to
     * cover the image, and return what cudaGetLastError() returns.  (about 7 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
    return cudaErrorNotSupported;
}

/* ---- part B: a bank of masks, chosen by the column ---- */

cudaError_t set_bank(const float *h_bank, int radius) {
    /* TODO 4: as set_mask(), but copy the PHASES masks of a bank to c_bank.  (about 5 lines) */
    (void)h_bank, (void)radius;
    return cudaErrorNotSupported;
}

/* A block of part B: BLOCK_WIDTH lanes, times PHASES warps that share a row, times ROWS rows. */
enum { ROWS = 2 };

__global__ void polyphase_kernel(const float *d_image, int width, int height, int radius,
                                 enum border border, float *d_out) {
    /* TODO 5: if neighbouring lanes had neighbouring x, reading mask x % PHASES of c_bank would
     * make a warp read PHASES words at each tap, one after the other. Compute x from
     * blockIdx, threadIdx.x (the lane) and threadIdx.y (the phase) so that all lanes of a warp have
     * the same x % PHASES and the block still covers PHASES * BLOCK_WIDTH neighbouring columns. The
     * rest is as in part A, with the mask of the phase.  (about 16 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
}

cudaError_t correlate_polyphase(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_out) {
    /* TODO 6: as in part A, with blocks of BLOCK_WIDTH x PHASES x ROWS threads. How many columns
     * and how many rows does such a block cover?  (about 7 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
    return cudaErrorNotSupported;
}
