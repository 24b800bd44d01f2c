#include "lab.h"

#include <stdlib.h>
#include <string.h>

/* A block is as wide as a warp, so that the 32 lanes of a warp read 32 neighbours of one row. */
enum { BLOCK_WIDTH = 32, BLOCK_HEIGHT = 8 };

/* `value`, or the nearer end of low..high when it lies outside. */
inline __device__ int clamp(int value, int low, int high) {
    return min(max(value, low), high);
}

/* How many groups of `size` cover `count` things, the last one perhaps in part. */
inline unsigned ceil_div(int count, int size) {
    return (unsigned)((count + size - 1) / size);
}

/* ---- part A: one thread a pixel ---- */

__global__ void correlate_kernel(const float *d_image, int width, int height, const float *d_mask,
                                 int radius, enum border border, float *d_out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int size = 2 * radius + 1;
    float sum = 0.0f;
    for (int b = -radius; b <= radius; b++) {
        for (int a = -radius; a <= radius; a++) {
            const int column = clamp(x + a, 0, width - 1);
            const int row = clamp(y + b, 0, height - 1);
            const bool outside = column != x + a || row != y + b;
            if (outside && border == BORDER_ZERO) {
                continue;
            }
            sum +=
                d_image[(size_t)row * width + column] * d_mask[(b + radius) * size + (a + radius)];
        }
    }
    d_out[(size_t)y * width + x] = sum;
}

cudaError_t correlate_device(const float *d_image, int width, int height, const float *d_mask,
                             int radius, enum border border, float *d_out) {
    const dim3 block(BLOCK_WIDTH, BLOCK_HEIGHT);
    const dim3 grid(ceil_div(width, BLOCK_WIDTH), ceil_div(height, BLOCK_HEIGHT));

    correlate_kernel<<<grid, block>>>(d_image, width, height, d_mask, radius, border, d_out);
    return cudaGetLastError();
}

/* ---- part B: the host's side ---- */

cudaError_t correlate_host(const float *h_image, int width, int height, const float *h_mask,
                           int radius, enum border border, float *h_out) {
    const size_t image_bytes = (size_t)width * height * sizeof(float);
    const size_t mask_bytes = (size_t)(2 * radius + 1) * (2 * radius + 1) * sizeof(float);
    float *d_image = NULL, *d_mask = NULL, *d_out = NULL;

    cudaError_t error = cudaMalloc((void **)&d_image, image_bytes);
    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&d_mask, mask_bytes);
    }
    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&d_out, image_bytes);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(d_image, h_image, image_bytes, cudaMemcpyHostToDevice);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(d_mask, h_mask, mask_bytes, cudaMemcpyHostToDevice);
    }
    if (error == cudaSuccess) {
        error = correlate_device(d_image, width, height, d_mask, radius, border, d_out);
    }
    if (error == cudaSuccess) { /* waits for the kernel, and reports what went wrong in it */
        error = cudaMemcpy(h_out, d_out, image_bytes, cudaMemcpyDeviceToHost);
    }
    cudaFree(d_image);
    cudaFree(d_mask);
    cudaFree(d_out);
    return error;
}

/* ---- part C: what the copy starts from ---- */

cudaError_t correlate_staged(enum host_memory kind, const float *h_image, int width, int height,
                             const float *h_mask, int radius, enum border border, float *h_out) {
    const size_t image_bytes = (size_t)width * height * sizeof(float);
    float *h_staging = NULL;
    cudaError_t error = cudaErrorInvalidValue;

    if (kind == HOST_PAGEABLE) {
        h_staging = (float *)malloc(image_bytes);
        error = h_staging == NULL ? cudaErrorMemoryAllocation : cudaSuccess;
    } else if (kind == HOST_PINNED) {
        error = cudaHostAlloc((void **)&h_staging, image_bytes, cudaHostAllocDefault);
    } else if (kind == HOST_WRITE_COMBINED) {
        error = cudaHostAlloc((void **)&h_staging, image_bytes, cudaHostAllocWriteCombined);
    }
    if (error != cudaSuccess) {
        return error;
    }

    memcpy(h_staging, h_image, image_bytes);
    error = correlate_host(h_staging, width, height, h_mask, radius, border, h_out);

    if (kind == HOST_PAGEABLE) {
        free(h_staging);
    } else {
        cudaFreeHost(h_staging);
    }
    return error;
}

/* ---- part D: the CPU's bits ---- */

__global__ void identical_kernel(const float *d_image, int width, int height, const float *d_mask,
                                 int radius, enum border border, float *d_out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int size = 2 * radius + 1;
    float sum = 0.0f;
    for (int b = -radius; b <= radius; b++) {
        for (int a = -radius; a <= radius; a++) {
            const int column = clamp(x + a, 0, width - 1);
            const int row = clamp(y + b, 0, height - 1);
            const bool outside = column != x + a || row != y + b;
            if (outside && border == BORDER_ZERO) {
                continue;
            }
            const float product = __fmul_rn(d_image[(size_t)row * width + column],
                                            d_mask[(b + radius) * size + (a + radius)]);
            sum = __fadd_rn(sum, product);
        }
    }
    d_out[(size_t)y * width + x] = sum;
}

cudaError_t correlate_identical(const float *d_image, int width, int height, const float *d_mask,
                                int radius, enum border border, float *d_out) {
    const dim3 block(BLOCK_WIDTH, BLOCK_HEIGHT);
    const dim3 grid(ceil_div(width, BLOCK_WIDTH), ceil_div(height, BLOCK_HEIGHT));

    identical_kernel<<<grid, block>>>(d_image, width, height, d_mask, radius, border, d_out);
    return cudaGetLastError();
}
