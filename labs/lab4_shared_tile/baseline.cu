/* The baseline, the version to beat: one thread per pixel, the mask in constant memory, every tap
 * read from global memory (lab 3, part A). */
#include "lab.h"

enum { BLOCK_WIDTH = 32, BLOCK_HEIGHT = 8 };

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

cudaError_t baseline_set_mask(const float *h_mask, int radius) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    const size_t coefficients = (size_t)(2 * radius + 1) * (2 * radius + 1);
    return cudaMemcpyToSymbol(c_mask, h_mask, coefficients * sizeof(float));
}

cudaError_t baseline_correlate(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    const dim3 block(BLOCK_WIDTH, BLOCK_HEIGHT);
    const dim3 grid((unsigned)((width + BLOCK_WIDTH - 1) / BLOCK_WIDTH),
                    (unsigned)((height + BLOCK_HEIGHT - 1) / BLOCK_HEIGHT));
    baseline_kernel<<<grid, block>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
}
