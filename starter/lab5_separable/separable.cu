/* Lab 5: a mask that is a column times a row, and the two short passes that replace one long one.
 *
 * What to do   Fill in the TODOs, in order: two for part A, four for part B, two for part C.
 *              labs/lab5_separable/lab.h says what each function must do.
 * Build        make lab5                  (make lab5-test: unit tests)
 * Grade        ./grade lab5               (no GPU needed: a simulator runs this file)
 * One check    ./grade lab5 -k "one row"
 * Stuck?       ./grade hint lab5 A
 * The idea     handouts/lab5.md
 */
#include "lab.h"

#include <math.h>
#include <string.h>

/* The block of every kernel. A warp is one row of the block. */
enum { BLOCK_WIDTH = 32, BLOCK_HEIGHT = 8 };

/* The apron of a tile on each side, whatever the radius: then all loops have a known length. */
enum { APRON = MASK_MAX_RADIUS };

/* A block of the row pass computes ROWS_WIDTH columns. A block of the column pass and of the fused
 * kernel computes TILE_HEIGHT = 32 rows, ROWS_EACH per thread: the apron has 16 rows, so blocks of
 * only 8 rows would read every pixel three times. */
enum { ROWS_WIDTH = 128, TILE_HEIGHT = 32, ROWS_EACH = TILE_HEIGHT / BLOCK_HEIGHT };

/* Both lines, centred: the coefficient of tap a is c_row[APRON + a]. A line that is shorter than
 * the longest one has zeros at both ends. */
__constant__ float c_column[LINE_MAX_LENGTH];
__constant__ float c_row[LINE_MAX_LENGTH];

/* How many groups of `size` cover `count` things; the last group may be partly filled. */
inline unsigned ceil_div(int count, int size) {
    return (unsigned)((count + size - 1) / size);
}

/* Returns f(x, y), with the border, for any x and y. */
inline __device__ float pixel(const float *d_image, int width, int height, int x, int y,
                              enum border border) {
    const int column = min(max(x, 0), width - 1);
    const int row = min(max(y, 0), height - 1);
    const bool outside = column != x || row != y;
    return outside && border == BORDER_ZERO ? 0.0f : d_image[(size_t)row * width + column];
}

/* Given: copies both lines to constant memory. */
cudaError_t set_lines(const float *h_column, const float *h_row, int radius) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    const size_t bytes = (2 * (size_t)radius + 1) * sizeof(float);
    float column[LINE_MAX_LENGTH] = {0.0f}, row[LINE_MAX_LENGTH] = {0.0f};
    memcpy(column + APRON - radius, h_column, bytes);
    memcpy(row + APRON - radius, h_row, bytes);
    const cudaError_t error = cudaMemcpyToSymbol(c_column, column, sizeof column);
    return error != cudaSuccess ? error : cudaMemcpyToSymbol(c_row, row, sizeof row);
}

/* ---- part A: the row pass ---- */

__global__ void rows_kernel(const float *d_image, int width, int height, enum border border,
                            float *d_out) {
    /* TODO 1: compute BLOCK_HEIGHT rows of ROWS_WIDTH pixels per block, one row per warp. Copy the
     * pixels of the row and APRON more at each end (no apron above or below) to s_row in shared
     * memory, wait for all threads, then sum LINE_MAX_LENGTH taps for each pixel of the image:
     * those that a shorter line does not have are 0, and nvcc unrolls a loop of a known length.
     * (about 22 lines) */
    (void)d_image, (void)width, (void)height, (void)border, (void)d_out;
}

cudaError_t correlate_rows(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    /* TODO 2: launch rows_kernel with blocks of BLOCK_WIDTH x BLOCK_HEIGHT threads. How many pixels
     * does each block compute? Why does the kernel not need the radius?  (about 5 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
    return cudaErrorNotSupported;
}

/* ---- part B: the column pass, and separating a mask ---- */

__global__ void columns_kernel(const float *d_image, int width, int height, enum border border,
                               float *d_out) {
    /* TODO 3: compute TILE_HEIGHT rows of BLOCK_WIDTH pixels per block. Its tile has APRON more
     * rows above and below, and no apron at the sides. Keep the lanes of a warp side by side, in
     * the tile and in the image; a thread computes ROWS_EACH rows, one below the other, which read
     * many pixels of the tile in common.  (about 22 lines) */
    (void)d_image, (void)width, (void)height, (void)border, (void)d_out;
}

cudaError_t correlate_columns(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_out) {
    /* TODO 4: launch columns_kernel, as in TODO 2.  (about 5 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
    return cudaErrorNotSupported;
}

enum separation separate(const float *h_mask, int radius, float *h_column, float *h_row,
                         struct contradiction *why) {
    /* TODO 5: find the coefficient of the largest magnitude, g(p, q). If the mask is separable, the
     * two lines are its column p, and its row q divided by g(p, q). To test that, compare every
     * g(a, b) g(p, q) with g(p, b) g(a, q) as lab.h says; write the first mismatch to `why`. In a
     * mask of zeros the largest coefficient is 0: what are its lines?  (about 24 lines) */
    (void)h_mask, (void)radius, (void)h_column, (void)h_row, (void)why;
    return NOT_SEPARABLE;
}

cudaError_t correlate_separable(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_between, float *d_out) {
    /* TODO 6: run the row pass to d_between, then the column pass to d_out. Do not launch the
     * second pass if the launch of the first failed.  (about 3 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border;
    (void)d_between, (void)d_out;
    return cudaErrorNotSupported;
}

/* ---- part C: both passes in one kernel ---- */

/* A block computes TILE_HEIGHT rows of FUSED_WIDTH pixels. In the row pass, a thread computes GROUP
 * neighbours: 16 threads share a row, so the block computes 16 rows at once. */
enum { FUSED_WIDTH = 64, GROUP = 4, GROUPS = FUSED_WIDTH / GROUP };
enum { ROWS_AT_ONCE = BLOCK_WIDTH * BLOCK_HEIGHT / GROUPS };

__global__ void fused_kernel(const float *d_image, int width, int height, enum border border,
                             float *d_out) {
    /* TODO 7: read the tile with the whole apron into s_tile. The row pass reads s_tile and writes
     * s_between, for all rows that the column pass needs; a thread computes four neighbours, for
     * which it reads the 20 pixels once, as float4s (as in part D of lab 4). The column pass reads
     * s_between and writes d_out. When must you wait?  (about 50 lines) */
    (void)d_image, (void)width, (void)height, (void)border, (void)d_out;
}

cudaError_t correlate_fused(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_out) {
    /* TODO 8: launch fused_kernel, as in TODO 4.  (about 5 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
    return cudaErrorNotSupported;
}
