#include "lab.h"

#include <string.h>

/* Every kernel's block. A warp is one row of it, and its lanes stand side by side in the image. */
enum { LANES = 32, BLOCK_HEIGHT = 8 };

/* The apron of a tile, whatever the radius: 8 floats are one sector of 32 bytes. */
enum { APRON = MASK_MAX_RADIUS };

/* What a block of the row pass computes, and of the column pass. */
enum { ROWS_WIDTH = 128, ROWS_HEIGHT = BLOCK_HEIGHT, COLUMNS_WIDTH = LANES, COLUMNS_HEIGHT = 32 };

/* Both lines with their middle in the middle: a tap a is c_row[APRON + a]. A line that is shorter
 * than the longest has zeros at both ends. */
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
    float column[LINE_MAX_LENGTH] = {0.0f}, row[LINE_MAX_LENGTH] = {0.0f};
    memcpy(column + APRON - radius, h_column, bytes);
    memcpy(row + APRON - radius, h_row, bytes);
    const cudaError_t error = cudaMemcpyToSymbol(c_column, column, sizeof column);
    return error != cudaSuccess ? error : cudaMemcpyToSymbol(c_row, row, sizeof row);
}

/* ---- part A: aligned, coalesced loads ---- */

/* The tiles of parts A and B are data[x][y], as in source 003: pixel (x, y) of the tile is
 * s_tile[x * pitch + y]. How long a column is, with what may be left unused behind it, is up to the
 * launch; so is the size of s_tile, dynamic shared memory. */

__global__ void rows_kernel(const float *d_image, int width, int height, int radius,
                            enum border border, int pitch, float *d_out) {
    extern __shared__ float s_tile[];
    const int left = blockIdx.x * ROWS_WIDTH;
    const int v = threadIdx.y;
    const int y = blockIdx.y * ROWS_HEIGHT + v;

    for (int u = threadIdx.x; u < ROWS_WIDTH + 2 * APRON; u += LANES) {
        s_tile[u * pitch + v] = pixel(d_image, width, height, left + u - APRON, y, border);
    }
    __syncthreads();

    for (int u = threadIdx.x; u < ROWS_WIDTH; u += LANES) {
        float sum = 0.0f;
        for (int a = APRON - radius; a <= APRON + radius; a++) {
            sum += s_tile[(u + a) * pitch + v] * c_row[a];
        }
        if (left + u < width && y < height) {
            d_out[(size_t)y * width + left + u] = sum;
        }
    }
}

__global__ void columns_kernel(const float *d_image, int width, int height, int radius,
                               enum border border, int pitch, float *d_out) {
    extern __shared__ float s_tile[];
    const int top = blockIdx.y * COLUMNS_HEIGHT;
    const int u = threadIdx.x;
    const int x = blockIdx.x * COLUMNS_WIDTH + u;

    for (int v = threadIdx.y; v < COLUMNS_HEIGHT + 2 * radius; v += BLOCK_HEIGHT) {
        s_tile[u * pitch + v] = pixel(d_image, width, height, x, top + v - radius, border);
    }
    __syncthreads();

    for (int v = threadIdx.y; v < COLUMNS_HEIGHT; v += BLOCK_HEIGHT) {
        float sum = 0.0f;
        for (int b = 0; b <= 2 * radius; b++) {
            sum += s_tile[u * pitch + v + b] * c_column[APRON - radius + b];
        }
        if (x < width && top + v < height) {
            d_out[(size_t)(top + v) * width + x] = sum;
        }
    }
}

/* Both kernels, with tiles whose columns are so many floats apart. */
static cudaError_t two_passes(const float *d_image, int width, int height, int radius,
                              enum border border, int rows_pitch, int columns_pitch,
                              float *d_between, float *d_out) {
    const dim3 block(LANES, BLOCK_HEIGHT);
    const dim3 rows(ceil_div(width, ROWS_WIDTH), ceil_div(height, ROWS_HEIGHT));
    const dim3 columns(ceil_div(width, COLUMNS_WIDTH), ceil_div(height, COLUMNS_HEIGHT));
    const size_t rows_bytes = sizeof(float) * (ROWS_WIDTH + 2 * APRON) * rows_pitch;
    const size_t columns_bytes = sizeof(float) * COLUMNS_WIDTH * columns_pitch;

    rows_kernel<<<rows, block, rows_bytes>>>(d_image, width, height, radius, border, rows_pitch,
                                             d_between);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        return error;
    }
    columns_kernel<<<columns, block, columns_bytes>>>(d_between, width, height, radius, border,
                                                      columns_pitch, d_out);
    return cudaGetLastError();
}

/* Given: columns without a gap, as long as the tile is high. */
cudaError_t filter_coalesced(const float *d_image, int width, int height, int radius,
                             enum border border, float *d_between, float *d_out) {
    return two_passes(d_image, width, height, radius, border, ROWS_HEIGHT,
                      COLUMNS_HEIGHT + 2 * APRON, d_between, d_out);
}

/* ---- part B: no bank conflicts ---- */

cudaError_t filter_conflict_free(const float *d_image, int width, int height, int radius,
                                 enum border border, float *d_between, float *d_out) {
    /* An odd pitch has no factor in common with 32. */
    return two_passes(d_image, width, height, radius, border, ROWS_HEIGHT + 1,
                      COLUMNS_HEIGHT + 2 * APRON + 1, d_between, d_out);
}

/* ---- part C: vector loads, several pixels a thread ---- */

/* A lane has four neighbouring pixels, so a warp has 128 of a row, and an apron is two groups. */
enum { GROUP = 4, WIDE = GROUP * LANES, APRON_GROUPS = APRON / GROUP };

/* Given: writes the pixels x..x+3 of row y that are in the image. x is a multiple of 4. */
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

/* The pixels x..x+3 of row y with their border. x is a multiple of 4, and may be negative. */
inline __device__ float4 four_pixels(const float *d_image, int width, int height, int x, int y,
                                     enum border border) {
    if (width % GROUP == 0 && x >= 0 && x < width && y >= 0 && y < height) {
        return *(const float4 *)(d_image + (size_t)y * width + x);
    }
    return make_float4(pixel(d_image, width, height, x, y, border),
                       pixel(d_image, width, height, x + 1, y, border),
                       pixel(d_image, width, height, x + 2, y, border),
                       pixel(d_image, width, height, x + 3, y, border));
}

__global__ void rows_vector_kernel(const float *d_image, int width, int height, enum border border,
                                   float *d_out) {
    __shared__ float4 s_tile[BLOCK_HEIGHT][LANES + 2 * APRON_GROUPS];
    const int left = blockIdx.x * WIDE, lane = threadIdx.x, v = threadIdx.y;
    const int y = blockIdx.y * BLOCK_HEIGHT + v;

    for (int i = lane; i < LANES + 2 * APRON_GROUPS; i += LANES) {
        s_tile[v][i] = four_pixels(d_image, width, height, left - APRON + GROUP * i, y, border);
    }
    __syncthreads();

    float window[GROUP + 2 * APRON], sum[GROUP] = {0.0f};
#pragma unroll
    for (int i = 0; i <= 2 * APRON_GROUPS; i++) {
        const float4 four = s_tile[v][lane + i];
        window[GROUP * i] = four.x;
        window[GROUP * i + 1] = four.y;
        window[GROUP * i + 2] = four.z;
        window[GROUP * i + 3] = four.w;
    }
#pragma unroll
    for (int a = 0; a < LINE_MAX_LENGTH; a++) {
#pragma unroll
        for (int k = 0; k < GROUP; k++) {
            sum[k] += window[k + a] * c_row[a];
        }
    }
    store_four(d_out, width, height, left + GROUP * lane, y,
               make_float4(sum[0], sum[1], sum[2], sum[3]));
}

/* How many rows a thread of the vector column pass computes, and a block. */
enum { ROWS_EACH = 4, HIGH = ROWS_EACH * BLOCK_HEIGHT };

__global__ void columns_vector_kernel(const float *d_image, int width, int height,
                                      enum border border, float *d_out) {
    __shared__ float4 s_tile[HIGH + 2 * APRON][LANES];
    const int lane = threadIdx.x, x = blockIdx.x * WIDE + GROUP * lane;
    const int top = blockIdx.y * HIGH, first = ROWS_EACH * threadIdx.y;

    for (int v = threadIdx.y; v < HIGH + 2 * APRON; v += BLOCK_HEIGHT) {
        s_tile[v][lane] = four_pixels(d_image, width, height, x, top - APRON + v, border);
    }
    __syncthreads();

    float4 sum[ROWS_EACH] = {};
#pragma unroll
    for (int i = 0; i < ROWS_EACH + 2 * APRON; i++) {
        const float4 four = s_tile[first + i][lane];
#pragma unroll
        for (int k = 0; k < ROWS_EACH; k++) {
            if (i >= k && i - k < LINE_MAX_LENGTH) {
                add(&sum[k], four, c_column[i - k]);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < ROWS_EACH; k++) {
        store_four(d_out, width, height, x, top + first + k, sum[k]);
    }
}

cudaError_t filter_vectorised(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_between, float *d_out) {
    (void)radius; /* the lines in constant memory have zeros beyond it */
    const dim3 block(LANES, BLOCK_HEIGHT);
    const dim3 rows(ceil_div(width, WIDE), ceil_div(height, BLOCK_HEIGHT));
    const dim3 columns(ceil_div(width, WIDE), ceil_div(height, HIGH));

    rows_vector_kernel<<<rows, block>>>(d_image, width, height, border, d_between);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        return error;
    }
    columns_vector_kernel<<<columns, block>>>(d_between, width, height, border, d_out);
    return cudaGetLastError();
}
