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
    __shared__ float s_row[BLOCK_HEIGHT][ROWS_WIDTH + 2 * APRON];
    const int left = blockIdx.x * ROWS_WIDTH;
    const int y = blockIdx.y * BLOCK_HEIGHT + threadIdx.y;
    float *const s_mine = s_row[threadIdx.y];

    for (int u = threadIdx.x; u < ROWS_WIDTH + 2 * radius; u += BLOCK_WIDTH) {
        s_mine[u] = pixel(d_image, width, height, left + u - radius, y, border);
    }
    __syncthreads();

    for (int u = threadIdx.x; u < ROWS_WIDTH; u += BLOCK_WIDTH) {
        float sum = 0.0f;
        for (int a = 0; a <= 2 * radius; a++) {
            sum += s_mine[u + a] * c_row[a];
        }
        if (left + u < width && y < height) {
            d_out[(size_t)y * width + left + u] = sum;
        }
    }
}

cudaError_t correlate_rows(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    const dim3 grid(ceil_div(width, ROWS_WIDTH), ceil_div(height, BLOCK_HEIGHT));
    const dim3 block(BLOCK_WIDTH, BLOCK_HEIGHT);
    rows_kernel<<<grid, block>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
}

/* ---- part B: the column pass, and a mask taken apart ---- */

__global__ void columns_kernel(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    __shared__ float s_tile[TILE_HEIGHT + 2 * APRON][BLOCK_WIDTH];
    const int x = blockIdx.x * BLOCK_WIDTH + threadIdx.x;
    const int top = blockIdx.y * TILE_HEIGHT;
    const int u = threadIdx.x;

    for (int v = threadIdx.y; v < TILE_HEIGHT + 2 * radius; v += BLOCK_HEIGHT) {
        s_tile[v][u] = pixel(d_image, width, height, x, top + v - radius, border);
    }
    __syncthreads();

    for (int v = threadIdx.y; v < TILE_HEIGHT; v += BLOCK_HEIGHT) {
        float sum = 0.0f;
        for (int b = 0; b <= 2 * radius; b++) {
            sum += s_tile[v + b][u] * c_column[b];
        }
        if (x < width && top + v < height) {
            d_out[(size_t)(top + v) * width + x] = sum;
        }
    }
}

cudaError_t correlate_columns(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_out) {
    const dim3 grid(ceil_div(width, BLOCK_WIDTH), ceil_div(height, TILE_HEIGHT));
    const dim3 block(BLOCK_WIDTH, BLOCK_HEIGHT);
    columns_kernel<<<grid, block>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
}

enum separation separate(const float *h_mask, int radius, float *h_column, float *h_row,
                         struct contradiction *why) {
    const int size = 2 * radius + 1;
    int p = 0, q = 0; /* from 0 here; from -radius in `why` */
    for (int i = 0; i < size * size; i++) {
        if (fabsf(h_mask[i]) > fabsf(h_mask[q * size + p])) {
            p = i % size, q = i / size;
        }
    }
    const double largest = h_mask[q * size + p];
    for (int i = 0; i < size; i++) {
        h_column[i] = h_mask[i * size + p];
        h_row[i] = largest == 0.0 ? 0.0f : (float)(h_mask[q * size + i] / largest);
    }
    for (int b = 0; b < size; b++) {
        for (int a = 0; a < size; a++) {
            const double here = h_mask[b * size + a] * largest;
            const double there = (double)h_mask[b * size + p] * h_mask[q * size + a];
            if (fabs(here - there) > SEPARABLE_TOLERANCE * fabs(here)) {
                *why = {a - radius, b - radius, p - radius, q - radius};
                return NOT_SEPARABLE;
            }
        }
    }
    return SEPARABLE;
}

cudaError_t correlate_separable(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_between, float *d_out) {
    const cudaError_t error = correlate_rows(d_image, width, height, radius, border, d_between);
    return error != cudaSuccess
               ? error
               : correlate_columns(d_between, width, height, radius, border, d_out);
}

/* ---- part C: both passes in one kernel ---- */

__global__ void fused_kernel(const float *d_image, int width, int height, int radius,
                             enum border border, float *d_out) {
    __shared__ float s_tile[TILE_HEIGHT + 2 * APRON][BLOCK_WIDTH + 2 * APRON];
    __shared__ float s_between[TILE_HEIGHT + 2 * APRON][BLOCK_WIDTH];
    const int left = blockIdx.x * BLOCK_WIDTH, top = blockIdx.y * TILE_HEIGHT;
    const int u = threadIdx.x;

    for (int v = threadIdx.y; v < TILE_HEIGHT + 2 * radius; v += BLOCK_HEIGHT) {
        for (int i = u; i < BLOCK_WIDTH + 2 * radius; i += BLOCK_WIDTH) {
            s_tile[v][i] =
                pixel(d_image, width, height, left + i - radius, top + v - radius, border);
        }
    }
    __syncthreads();

    for (int v = threadIdx.y; v < TILE_HEIGHT + 2 * radius; v += BLOCK_HEIGHT) {
        float sum = 0.0f;
        for (int a = 0; a <= 2 * radius; a++) {
            sum += s_tile[v][u + a] * c_row[a];
        }
        s_between[v][u] = sum;
    }
    __syncthreads();

    for (int v = threadIdx.y; v < TILE_HEIGHT; v += BLOCK_HEIGHT) {
        float sum = 0.0f;
        for (int b = 0; b <= 2 * radius; b++) {
            sum += s_between[v + b][u] * c_column[b];
        }
        if (left + u < width && top + v < height) {
            d_out[(size_t)(top + v) * width + left + u] = sum;
        }
    }
}

cudaError_t correlate_fused(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_out) {
    const dim3 grid(ceil_div(width, BLOCK_WIDTH), ceil_div(height, TILE_HEIGHT));
    const dim3 block(BLOCK_WIDTH, BLOCK_HEIGHT);
    fused_kernel<<<grid, block>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
}
