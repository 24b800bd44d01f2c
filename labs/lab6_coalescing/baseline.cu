/* The baseline, the filter to improve. Both passes are correct; look at the addresses that the 32
 * lanes of a warp read.
 *
 * In the row pass threadIdx.x runs down a column of the image: a load of a warp touches 32 rows. In
 * the column pass it runs along a row, but the tile is data[x][y] (morris, 2010), so the words
 * of neighbouring lanes are a whole column of the tile apart. */
#include "lab.h"

enum { TILE = 32, STEP = 8, APRON = MASK_MAX_RADIUS };

static __constant__ float c_column[LINE_MAX_LENGTH];
static __constant__ float c_row[LINE_MAX_LENGTH];

/* Returns f(x, y), with the border, for any x and y. */
static __device__ float pixel(const float *d_image, int width, int height, int x, int y,
                              enum border border) {
    const int column = min(max(x, 0), width - 1);
    const int row = min(max(y, 0), height - 1);
    const bool outside = column != x || row != y;
    return outside && border == BORDER_ZERO ? 0.0f : d_image[(size_t)row * width + column];
}

/* TILE x TILE pixels per block of TILE x STEP threads; a thread has every STEP-th x of its y. */
__global__ void baseline_rows_kernel(const float *d_image, int width, int height, int radius,
                                     enum border border, float *d_out) {
    __shared__ float data[TILE][TILE + 2 * APRON]; /* data[y][x] */
    const int left = blockIdx.x * TILE;
    const int v = threadIdx.x; /* the lane: each has one row of the tile */
    const int y = blockIdx.y * TILE + v;

    for (int u = threadIdx.y; u < TILE + 2 * radius; u += STEP) {
        data[v][u] = pixel(d_image, width, height, left + u - radius, y, border);
    }
    __syncthreads();

    for (int u = threadIdx.y; u < TILE; u += STEP) {
        float sum = 0.0f;
        for (int a = 0; a <= 2 * radius; a++) {
            sum += data[v][u + a] * c_row[a];
        }
        if (left + u < width && y < height) {
            d_out[(size_t)y * width + left + u] = sum;
        }
    }
}

/* TILE x TILE pixels per block of TILE x STEP threads; a thread has every STEP-th y of its x. */
__global__ void baseline_columns_kernel(const float *d_image, int width, int height, int radius,
                                        enum border border, float *d_out) {
    __shared__ float data[TILE][TILE + 2 * APRON]; /* data[x][y] */
    const int top = blockIdx.y * TILE;
    const int u = threadIdx.x; /* the lane: each has one column of the tile */
    const int x = blockIdx.x * TILE + u;

    for (int v = threadIdx.y; v < TILE + 2 * radius; v += STEP) {
        data[u][v] = pixel(d_image, width, height, x, top + v - radius, border);
    }
    __syncthreads();

    for (int v = threadIdx.y; v < TILE; v += STEP) {
        float sum = 0.0f;
        for (int b = 0; b <= 2 * radius; b++) {
            sum += data[u][v + b] * c_column[b];
        }
        if (x < width && top + v < height) {
            d_out[(size_t)(top + v) * width + x] = sum;
        }
    }
}

cudaError_t baseline_set_lines(const float *h_column, const float *h_row, int radius) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    const size_t bytes = (2 * (size_t)radius + 1) * sizeof(float);
    const cudaError_t error = cudaMemcpyToSymbol(c_column, h_column, bytes);
    return error != cudaSuccess ? error : cudaMemcpyToSymbol(c_row, h_row, bytes);
}

cudaError_t baseline_filter(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_between, float *d_out) {
    const dim3 grid((unsigned)((width + TILE - 1) / TILE), (unsigned)((height + TILE - 1) / TILE));
    const dim3 block(TILE, STEP);
    baseline_rows_kernel<<<grid, block>>>(d_image, width, height, radius, border, d_between);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        return error;
    }
    baseline_columns_kernel<<<grid, block>>>(d_between, width, height, radius, border, d_out);
    return cudaGetLastError();
}
