// zoo: right
//
// A kernel template for border and exactness, square blocks of 16, and the host's side nested: each
// level owns one buffer.
#include "lab.h"

#include <stdlib.h>
#include <string.h>

template <bool REPLICATE, bool EXACT>
__global__ void kernel(const float *__restrict__ image, int width, int height,
                       const float *__restrict__ mask, int radius, float *__restrict__ out) {
    const int x = threadIdx.x + blockDim.x * blockIdx.x;
    const int y = threadIdx.y + blockDim.y * blockIdx.y;
    if (x < width && y < height) {
        const int size = 2 * radius + 1;
        float total = 0;
        for (int k = 0; k < size * size; ++k) {
            int u = x + k % size - radius, v = y + k / size - radius;
            if (REPLICATE) {
                u = max(0, min(width - 1, u));
                v = max(0, min(height - 1, v));
            }
            if (u >= 0 && u < width && v >= 0 && v < height) {
                const float f = image[(size_t)v * width + u], g = mask[k];
                total = EXACT ? __fadd_rn(total, __fmul_rn(f, g)) : total + f * g;
            }
        }
        out[(size_t)y * width + x] = total;
    }
}

template <bool EXACT>
static cudaError_t launch(const float *image, int width, int height, const float *mask, int radius,
                          enum border border, float *out) {
    const dim3 threads(16, 16);
    const dim3 blocks(1 + (width - 1) / 16, 1 + (height - 1) / 16);
    if (border == BORDER_REPLICATE) {
        kernel<true, EXACT><<<blocks, threads>>>(image, width, height, mask, radius, out);
    } else {
        kernel<false, EXACT><<<blocks, threads>>>(image, width, height, mask, radius, out);
    }
    return cudaGetLastError();
}

cudaError_t correlate_device(const float *d_image, int width, int height, const float *d_mask,
                             int radius, enum border border, float *d_out) {
    return launch<false>(d_image, width, height, d_mask, radius, border, d_out);
}

cudaError_t correlate_identical(const float *d_image, int width, int height, const float *d_mask,
                                int radius, enum border border, float *d_out) {
    return launch<true>(d_image, width, height, d_mask, radius, border, d_out);
}

static cudaError_t copy_and_run(const float *h_image, int width, int height, const float *h_mask,
                                int radius, enum border border, float *h_out, float *d_image,
                                float *d_mask, float *d_out) {
    const size_t bytes = (size_t)width * height * sizeof(float);
    const int size = 2 * radius + 1;
    cudaError_t e = cudaMemcpy(d_image, h_image, bytes, cudaMemcpyHostToDevice);
    if (e != cudaSuccess) {
        return e;
    }
    e = cudaMemcpy(d_mask, h_mask, size * size * sizeof(float), cudaMemcpyHostToDevice);
    if (e != cudaSuccess) {
        return e;
    }
    e = correlate_device(d_image, width, height, d_mask, radius, border, d_out);
    if (e != cudaSuccess) {
        return e;
    }
    return cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost);
}

cudaError_t correlate_host(const float *h_image, int width, int height, const float *h_mask,
                           int radius, enum border border, float *h_out) {
    const size_t bytes = (size_t)width * height * sizeof(float);
    const int size = 2 * radius + 1;
    float *d_image, *d_mask, *d_out;
    cudaError_t e = cudaMalloc((void **)&d_image, bytes);
    if (e == cudaSuccess) {
        e = cudaMalloc((void **)&d_mask, size * size * sizeof(float));
        if (e == cudaSuccess) {
            e = cudaMalloc((void **)&d_out, bytes);
            if (e == cudaSuccess) {
                e = copy_and_run(h_image, width, height, h_mask, radius, border, h_out, d_image,
                                 d_mask, d_out);
                cudaFree(d_out);
            }
            cudaFree(d_mask);
        }
        cudaFree(d_image);
    }
    return e;
}

cudaError_t correlate_staged(enum host_memory kind, const float *h_image, int width, int height,
                             const float *h_mask, int radius, enum border border, float *h_out) {
    const size_t bytes = (size_t)width * height * sizeof(float);
    if (kind == HOST_PAGEABLE) {
        float *copy = (float *)malloc(bytes);
        if (copy == NULL) {
            return cudaErrorMemoryAllocation;
        }
        memcpy(copy, h_image, bytes);
        const cudaError_t e = correlate_host(copy, width, height, h_mask, radius, border, h_out);
        free(copy);
        return e;
    }
    if (kind != HOST_PINNED && kind != HOST_WRITE_COMBINED) {
        return cudaErrorInvalidValue;
    }
    float *copy;
    cudaError_t e =
        cudaHostAlloc((void **)&copy, bytes,
                      kind == HOST_PINNED ? cudaHostAllocDefault : cudaHostAllocWriteCombined);
    if (e != cudaSuccess) {
        return e;
    }
    memcpy(copy, h_image, bytes);
    e = correlate_host(copy, width, height, h_mask, radius, border, h_out);
    cudaFreeHost(copy);
    return e;
}
