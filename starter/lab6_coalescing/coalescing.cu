/* Lab 6: the same two passes, with as few sectors and wavefronts per load of a warp as possible.
 *
 * What to do   Speed up the filter of labs/lab6_coalescing/baseline.cu: fill in the TODOs in order,
 *              three for part A, one for part B, four for part C. labs/lab6_coalescing/lab.h says
 *              what each function must do.
 * Build        make lab6                  (make lab6-test: unit tests)
 * Grade        ./grade lab6               (no GPU needed: a simulator runs this file)
 * Counters     ./grade lab6 --profile
 * One check    ./grade lab6 -k "one row"
 * Stuck?       ./grade hint lab6 A
 * The idea     handouts/lab6.md
 */
#include "lab.h"

#include <string.h>

/* The block of every kernel. A warp is one row of it; its lanes are side by side in the image. */
enum { LANES = 32, BLOCK_HEIGHT = 8 };

/* The apron of a tile, whatever the radius: 8 floats are one sector of 32 bytes. */
enum { APRON = MASK_MAX_RADIUS };

/* How many pixels a block computes in the row pass, and in the column pass. */
enum { ROWS_WIDTH = 128, ROWS_HEIGHT = BLOCK_HEIGHT, COLUMNS_WIDTH = LANES, COLUMNS_HEIGHT = 32 };

/* The columns of the tile of the row pass. Whole warps load them, so that no load needs a test: of
 * the last 32 columns, 2 * APRON = 16 are used. */
enum { TILE_WIDTH = ROWS_WIDTH + LANES };

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

/* ---- part A: aligned, coalesced loads ---- */

/* The tiles of parts A and B are data[x][y], as in morris, 2010: pixel (x, y) of the tile is
 * s_tile[x * pitch + y]. The launch chooses the pitch (the length of a column with its
 * padding) and the size of s_tile, which is dynamic shared memory. */

__global__ void rows_kernel(const float *d_image, int width, int height, enum border border,
                            int pitch, float *d_out) {
    /* TODO 1: compute ROWS_HEIGHT rows of ROWS_WIDTH pixels per block. Let the lanes of a warp run
     * along its row, in the load and in the store. Start the tile APRON pixels before the block:
     * then the 32 floats of each load begin with a whole sector. Sum LINE_MAX_LENGTH taps for each
     * pixel: those that a shorter line does not have are 0, and a loop of a known length can be
     * unrolled.  (about 21 lines) */
    (void)d_image, (void)width, (void)height, (void)border, (void)pitch, (void)d_out;
}

__global__ void columns_kernel(const float *d_image, int width, int height, enum border border,
                               int pitch, float *d_out) {
    /* TODO 2: compute COLUMNS_HEIGHT rows of COLUMNS_WIDTH pixels per block. The baseline's lanes
     * are side by side already. Give the loops a known length here, too.  (about 21 lines) */
    (void)d_image, (void)width, (void)height, (void)border, (void)pitch, (void)d_out;
}

/* Launches both kernels. In their tiles, columns are rows_pitch and columns_pitch floats apart. */
static cudaError_t two_passes(const float *d_image, int width, int height, enum border border,
                              int rows_pitch, int columns_pitch, float *d_between, float *d_out) {
    /* TODO 3: launch rows_kernel to d_between and columns_kernel to d_out, with blocks of
     * LANES x BLOCK_HEIGHT threads. How many floats does each tile have? Why do the kernels not
     * need the radius? Do not launch the second one if the launch of the first failed.
     * (about 14 lines) */
    (void)d_image, (void)width, (void)height, (void)border, (void)rows_pitch;
    (void)columns_pitch, (void)d_between, (void)d_out;
    return cudaErrorNotSupported;
}

/* Given: the pitch is the height of the tile, without padding. */
cudaError_t filter_coalesced(const float *d_image, int width, int height, int radius,
                             enum border border, float *d_between, float *d_out) {
    (void)radius; /* the lines in constant memory have zeros beyond it */
    return two_passes(d_image, width, height, border, ROWS_HEIGHT, COLUMNS_HEIGHT + 2 * APRON,
                      d_between, d_out);
}

/* ---- part B: no bank conflicts ---- */

cudaError_t filter_conflict_free(const float *d_image, int width, int height, int radius,
                                 enum border border, float *d_between, float *d_out) {
    /* TODO 4: lane u reads s_tile[u * pitch + v], and v is the same for all lanes. The bank of a
     * float is its index mod 32. Choose pitches so that 32 lanes use 32 banks.  (about 3 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border;
    (void)d_between, (void)d_out;
    return cudaErrorNotSupported;
}

/* ---- part C: vector loads, several pixels per thread ---- */

/* A lane computes four neighbouring pixels, so a warp computes 128; an apron is two groups wide. */
enum { GROUP = 4, WIDE = GROUP * LANES, APRON_GROUPS = APRON / GROUP };

/* Given: writes those of the pixels x..x+3 of row y that are in the image. x is a multiple of 4. */
inline __device__ void store_four(float *d_out, int width, int height, int x, int y, float4 four) {
    if (x >= width || y >= height) {
        return;
    }
    float *const d_first = d_out + (size_t)y * width + x;
    if (width % GROUP == 0) { /* every row begins at a multiple of 16 bytes and ends with a group */
        *(float4 *)d_first = four;
        return;
    }
    const float value[GROUP] = {four.x, four.y, four.z, four.w};
    for (int k = 0; k < GROUP && x + k < width; k++) {
        d_first[k] = value[k];
    }
}

/* Given: sum += four * factor. */
inline __device__ void add(float4 *sum, float4 four, float factor) {
    sum->x += four.x * factor;
    sum->y += four.y * factor;
    sum->z += four.z * factor;
    sum->w += four.w * factor;
}

/* Returns pixels x..x+3 of row y, with the border. x is a multiple of 4, and may be negative. */
inline __device__ float4 four_pixels(const float *d_image, int width, int height, int x, int y,
                                     enum border border) {
    /* TODO 5: use one float4 load if all four are in the image and the address is a multiple of 16
     * bytes, and otherwise pixel() four times. When is a group partly inside?  (about 8 lines) */
    (void)d_image, (void)width, (void)height, (void)x, (void)y, (void)border;
    return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

__global__ void rows_vector_kernel(const float *d_image, int width, int height, enum border border,
                                   float *d_out) {
    /* TODO 6: compute BLOCK_HEIGHT rows of WIDE pixels per block, four pixels of a row per lane.
     * The tile holds float4s, row by row; its first group is APRON pixels left of the block. Copy
     * the 20 pixels (five float4) that four neighbours need from the tile to registers, and add all
     * LINE_MAX_LENGTH taps from there.  (about 24 lines) */
    (void)d_image, (void)width, (void)height, (void)border, (void)d_out;
}

/* How many rows a thread computes in the vector column pass, and how many a block. */
enum { ROWS_EACH = 4, HIGH = ROWS_EACH * BLOCK_HEIGHT };

__global__ void columns_vector_kernel(const float *d_image, int width, int height,
                                      enum border border, float *d_out) {
    /* TODO 7: compute HIGH rows of WIDE pixels per block; each thread computes ROWS_EACH rows
     * of its group, one below the other. Read each of the 20 groups that these need from the tile
     * only once, and add() it to every row that needs it: group i times tap b belongs to row i - b.
     * (about 23 lines) */
    (void)d_image, (void)width, (void)height, (void)border, (void)d_out;
}

cudaError_t filter_vectorised(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_between, float *d_out) {
    /* TODO 8: launch both vector kernels.  (about 10 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border;
    (void)d_between, (void)d_out;
    return cudaErrorNotSupported;
}
