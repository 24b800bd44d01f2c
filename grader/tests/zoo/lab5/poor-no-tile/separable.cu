// zoo: poor | each row is read once, not once per tap; both passes read tiles; fused: only the result is written; fused: the tile is read once
//
// Right, but every tap comes from global memory, and what is called fused is the two passes with a
// buffer of its own between them.
#include "lab.h"

#include <math.h>

/* Every kernel's block. A warp is one row of it. */
enum { BLOCK_WIDTH = 32, BLOCK_HEIGHT = 8 };

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

/* One thread a pixel; (dx, dy) is the step from one tap to the next. */
__global__ void line_kernel(const float *d_image, int width, int height, int radius, int dx, int dy,
                            enum border border, float *d_out) {
    const int x = blockIdx.x * BLOCK_WIDTH + threadIdx.x;
    const int y = blockIdx.y * BLOCK_HEIGHT + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    float sum = 0.0f;
    for (int k = -radius; k <= radius; k++) {
        sum += pixel(d_image, width, height, x + k * dx, y + k * dy, border) *
               (dx ? c_row : c_column)[k + radius];
    }
    d_out[(size_t)y * width + x] = sum;
}

cudaError_t correlate_rows(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    const dim3 grid(ceil_div(width, BLOCK_WIDTH), ceil_div(height, BLOCK_HEIGHT));
    line_kernel<<<grid, dim3(BLOCK_WIDTH, BLOCK_HEIGHT)>>>(d_image, width, height, radius, 1, 0,
                                                           border, d_out);
    return cudaGetLastError();
}

cudaError_t correlate_columns(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_out) {
    const dim3 grid(ceil_div(width, BLOCK_WIDTH), ceil_div(height, BLOCK_HEIGHT));
    line_kernel<<<grid, dim3(BLOCK_WIDTH, BLOCK_HEIGHT)>>>(d_image, width, height, radius, 0, 1,
                                                           border, d_out);
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

cudaError_t correlate_fused(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_out) {
    float *d_between = NULL;
    cudaError_t error = cudaMalloc((void **)&d_between, (size_t)width * height * sizeof(float));
    if (error != cudaSuccess) {
        return error;
    }
    error = correlate_separable(d_image, width, height, radius, border, d_between, d_out);
    const cudaError_t freed = cudaFree(d_between); /* waits for the kernels */
    return error != cudaSuccess ? error : freed;
}
