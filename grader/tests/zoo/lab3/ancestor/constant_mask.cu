#include "lab.h"

/* A block is as wide as a warp, so that the 32 lanes of a warp read 32 neighbours of one row. */
enum { BLOCK_WIDTH = 32, BLOCK_HEIGHT = 8 };

/* Constant memory: at most 64 KB, written by the host, read by all threads through a cache that
 * hands out one word at a time to a whole warp. Sized for the largest mask; a smaller one fills the
 * beginning, row by row, as it came. */
__constant__ float c_mask[MASK_MAX_SIZE];
__constant__ float c_bank[PHASES * MASK_MAX_SIZE];

inline bool radius_allowed(int radius) {
    return radius >= 0 && radius <= MASK_MAX_RADIUS;
}

/* How many groups of `size` cover `count` things, the last one perhaps in part. */
inline unsigned ceil_div(int count, int size) {
    return (unsigned)((count + size - 1) / size);
}

/* f(x, y) with its border. */
inline __device__ float pixel(const float *d_image, int width, int height, int x, int y,
                              enum border border) {
    const int column = min(max(x, 0), width - 1);
    const int row = min(max(y, 0), height - 1);
    const bool outside = column != x || row != y;
    return outside && border == BORDER_ZERO ? 0.0f : d_image[(size_t)row * width + column];
}

/* ---- part A: one mask for all ---- */

cudaError_t set_mask(const float *h_mask, int radius) {
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    const size_t coefficients = (size_t)(2 * radius + 1) * (2 * radius + 1);
    return cudaMemcpyToSymbol(c_mask, h_mask, coefficients * sizeof(float));
}

__global__ void constant_kernel(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int size = 2 * radius + 1;
    float sum = 0.0f;
    for (int b = -radius; b <= radius; b++) {
        for (int a = -radius; a <= radius; a++) {
            sum += pixel(d_image, width, height, x + a, y + b, border) *
                   c_mask[(b + radius) * size + (a + radius)];
        }
    }
    d_out[(size_t)y * width + x] = sum;
}

cudaError_t correlate_constant(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    const dim3 block(BLOCK_WIDTH, BLOCK_HEIGHT);
    const dim3 grid(ceil_div(width, BLOCK_WIDTH), ceil_div(height, BLOCK_HEIGHT));

    constant_kernel<<<grid, block>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
}

/* ---- part B: a bank of masks, chosen by the column ---- */

cudaError_t set_bank(const float *h_bank, int radius) {
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    const size_t coefficients = (size_t)PHASES * (2 * radius + 1) * (2 * radius + 1);
    return cudaMemcpyToSymbol(c_bank, h_bank, coefficients * sizeof(float));
}

/* A block of part B: BLOCK_WIDTH lanes, times PHASES warps that share a row, times ROWS rows. */
enum { ROWS = 2 };

__global__ void polyphase_kernel(const float *d_image, int width, int height, int radius,
                                 enum border border, float *d_out) {
    const int phase = threadIdx.y; /* the same for all lanes of a warp */
    const int x = PHASES * (blockIdx.x * BLOCK_WIDTH + threadIdx.x) + phase;
    const int y = blockIdx.y * ROWS + threadIdx.z;
    if (x >= width || y >= height) {
        return;
    }
    const int size = 2 * radius + 1;
    const int mask = phase * size * size; /* where this phase's mask begins in c_bank */
    float sum = 0.0f;
    for (int b = -radius; b <= radius; b++) {
        for (int a = -radius; a <= radius; a++) {
            sum += pixel(d_image, width, height, x + a, y + b, border) *
                   c_bank[mask + (b + radius) * size + (a + radius)];
        }
    }
    d_out[(size_t)y * width + x] = sum;
}

cudaError_t correlate_polyphase(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_out) {
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    const dim3 block(BLOCK_WIDTH, PHASES, ROWS);
    const dim3 grid(ceil_div(width, PHASES * BLOCK_WIDTH), ceil_div(height, ROWS));

    polyphase_kernel<<<grid, block>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
}
