/* Lab 5: a mask that is a column times a row, and the two short passes that it allows.
 *
 * What to do   Fill in the TODOs, in order: two for part A, four for part B, two for part C.
 *              labs/lab5_separable/lab.h says what each function must do.
 * Build, grade make lab5 && ./grade lab5          (no GPU needed: a simulator runs this file)
 * One check    ./grade lab5 -k "one row"
 * Unit tests   make lab5-test
 * Stuck?       ./grade hint lab5 A
 * The idea     handouts/lab5.md
 */
#include "lab.h"

#include <math.h>

/* Every kernel's block. A warp is one row of it. */
enum { BLOCK_WIDTH = 32, BLOCK_HEIGHT = 8 };

/* What one block of the row pass computes, of the column pass, and of the fused kernel. The column
 * pass and the fused kernel take 32 rows, four for each thread: the apron has up to 16 rows, and 8
 * rows with an apron of 16 would read every pixel three times. */
enum { ROWS_WIDTH = 128, TILE_HEIGHT = 32, APRON = MASK_MAX_RADIUS };

__constant__ float c_column[LINE_MAX_LENGTH];
__constant__ float c_row[LINE_MAX_LENGTH];

/* How many groups of `size` cover `count` things, the last one perhaps in part. */
inline unsigned ceil_div(int count, int size) {
    return (unsigned)((count + size - 1) / size);
}

/* f(x, y) with its border, for any x and y. */
inline __device__ float pixel(const float *d_image, int width, int height, int x, int y,
                              enum border border) {
    const int column = min(max(x, 0), width - 1);
    const int row = min(max(y, 0), height - 1);
    const bool outside = column != x || row != y;
    return outside && border == BORDER_ZERO ? 0.0f : d_image[(size_t)row * width + column];
}

/* Given: both lines to constant memory. */
cudaError_t set_lines(const float *h_column, const float *h_row, int radius) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    const size_t bytes = (2 * (size_t)radius + 1) * sizeof(float);
    const cudaError_t error = cudaMemcpyToSymbol(c_column, h_column, bytes);
    return error != cudaSuccess ? error : cudaMemcpyToSymbol(c_row, h_row, bytes);
}

/* ---- part A: the row pass ---- */

__global__ void rows_kernel(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_out) {
    /* TODO 1: a block computes BLOCK_HEIGHT rows of ROWS_WIDTH pixels; each of its warps has one
     * row. Copy the row's pixels with `radius` more at either end (no apron above or below) to
     * s_row, wait for the block, then sum 2 * radius + 1 taps for each pixel of the image.
     * (about 18 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
}

cudaError_t correlate_rows(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    /* TODO 2: launch rows_kernel with blocks of BLOCK_WIDTH x BLOCK_HEIGHT threads. How many pixels
     * does such a block compute?  (about 4 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
    return cudaErrorNotSupported;
}

/* ---- part B: the column pass, and a mask taken apart ---- */

__global__ void columns_kernel(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    /* TODO 3: a block computes TILE_HEIGHT rows of BLOCK_WIDTH pixels. Its tile has `radius` more
     * rows above and below, and no apron at the sides. The lanes of a warp stay side by side, in
     * the tile and in the image; a thread takes every BLOCK_HEIGHT-th row.  (about 18 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
}

cudaError_t correlate_columns(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_out) {
    /* TODO 4: launch columns_kernel.  (about 4 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
    return cudaErrorNotSupported;
}

enum separation separate(const float *h_mask, int radius, float *h_column, float *h_row,
                         struct contradiction *why) {
    /* TODO 5: find the coefficient of the largest magnitude, g(p, q). If the mask is separable, its
     * column p and its row q over g(p, q) are the two lines. Is it? Every g(a, b) g(p, q) must
     * agree with g(p, b) g(a, q) as lab.h says; the first that does not goes to `why`. A mask of
     * zeros has no such coefficient; what are its lines?  (about 24 lines) */
    (void)h_mask, (void)radius, (void)h_column, (void)h_row, (void)why;
    return NOT_SEPARABLE;
}

cudaError_t correlate_separable(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_between, float *d_out) {
    /* TODO 6: the row pass to d_between, then the column pass to d_out. The second must not start
     * when the first could not.  (about 3 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border;
    (void)d_between, (void)d_out;
    return cudaErrorNotSupported;
}

/* ---- part C: both passes in one kernel ---- */

__global__ void fused_kernel(const float *d_image, int width, int height, int radius,
                             enum border border, float *d_out) {
    /* TODO 7: a block computes TILE_HEIGHT rows of BLOCK_WIDTH pixels. Read its tile with the whole
     * apron to s_tile; the row pass goes from s_tile to s_between, for all rows that the column
     * pass needs; the column pass goes from s_between to d_out. When must the block wait?
     * (about 30 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
}

cudaError_t correlate_fused(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_out) {
    /* TODO 8: launch fused_kernel.  (about 4 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
    return cudaErrorNotSupported;
}
