/* The baseline, the version to beat: lab 4's tile with its apron, and all (2r+1)^2 taps of the
 * mask. */
#include "lab.h"

enum { TILE = 32, APRON_MAX = MASK_MAX_RADIUS };

static __constant__ float c_mask[MASK_MAX_SIZE];

/* Returns f(x, y), with the border. */
static __device__ float pixel(const float *d_image, int width, int height, int x, int y,
                              enum border border) {
    const int column = min(max(x, 0), width - 1);
    const int row = min(max(y, 0), height - 1);
    const bool outside = column != x || row != y;
    return outside && border == BORDER_ZERO ? 0.0f : d_image[(size_t)row * width + column];
}

__global__ void baseline_kernel(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_out) {
    __shared__ float s_tile[TILE + 2 * APRON_MAX][TILE + 2 * APRON_MAX];
    const int left = blockIdx.x * TILE - radius, top = blockIdx.y * TILE - radius;

    for (int v = threadIdx.y; v < TILE + 2 * radius; v += TILE) {
        for (int u = threadIdx.x; u < TILE + 2 * radius; u += TILE) {
            s_tile[v][u] = pixel(d_image, width, height, left + u, top + v, border);
        }
    }
    __syncthreads();

    const int x = blockIdx.x * TILE + threadIdx.x;
    const int y = blockIdx.y * TILE + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int size = 2 * radius + 1;
    float sum = 0.0f;
    for (int b = 0; b < size; b++) {
        for (int a = 0; a < size; a++) {
            sum += s_tile[threadIdx.y + b][threadIdx.x + a] * c_mask[b * size + a];
        }
    }
    d_out[(size_t)y * width + x] = sum;
}

cudaError_t baseline_set_mask(const float *h_mask, int radius) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    const size_t coefficients = (size_t)(2 * radius + 1) * (2 * radius + 1);
    return cudaMemcpyToSymbol(c_mask, h_mask, coefficients * sizeof(float));
}

cudaError_t baseline_correlate(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    const dim3 grid((unsigned)((width + TILE - 1) / TILE), (unsigned)((height + TILE - 1) / TILE));
    baseline_kernel<<<grid, dim3(TILE, TILE)>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
}
