// zoo: right
//
// Asks the device once for a block size, and goes on with another one if it gets no answer. The
// mask is read through shared memory, the image in bands of rows, one launch each. Part B keeps
// what it must free in a list; part C calls itself with the staging buffer.
#include "lab.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 1024 }; /* coefficients in shared memory: the first of a larger mask */

struct fused {
    static __device__ float add(float sum, float a, float b) { return sum + a * b; }
};

struct rounded {
    static __device__ float add(float sum, float a, float b) {
        return __fadd_rn(sum, __fmul_rn(a, b));
    }
};

template <typename Sum>
__global__ void band(const float *image, int width, int height, const float *mask, int radius,
                     enum border border, float *out, int first_row, int end_row) {
    __shared__ float s_mask[KEPT];
    const int size = 2 * radius + 1, thread = threadIdx.y * blockDim.x + threadIdx.x;
    for (int i = thread; i < size * size && i < KEPT; i += blockDim.x * blockDim.y) {
        s_mask[i] = mask[i];
    }
    __syncthreads();
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = first_row + blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= end_row) {
        return;
    }
    float sum = 0.0f;
    for (int i = 0, b = -radius; b <= radius; b++) {
        const int v = y + b < 0 ? 0 : y + b >= height ? height - 1 : y + b;
        for (int a = -radius; a <= radius; a++, i++) {
            const int u = x + a < 0 ? 0 : x + a >= width ? width - 1 : x + a;
            if (border == BORDER_REPLICATE || (u == x + a && v == y + b)) {
                sum = Sum::add(sum, image[(size_t)v * width + u], i < KEPT ? s_mask[i] : mask[i]);
            }
        }
    }
    out[(size_t)y * width + x] = sum;
}

/* Warps of a block: what the device likes best, 4 if it does not say. */
static int warps(void) {
    static int answer = 0;
    if (answer == 0) {
        int grid = 0, threads = 0;
        if (cudaOccupancyMaxPotentialBlockSize(&grid, &threads, band<fused>) != cudaSuccess) {
            cudaGetLastError(); /* it is no error of the launch */
            return 4;
        }
        answer = threads < 32 ? 1 : threads > 512 ? 16 : threads / 32;
    }
    return answer;
}

template <typename Sum>
static cudaError_t all_bands(const float *image, int width, int height, const float *mask,
                             int radius, enum border border, float *out) {
    const int rows = 64;
    const dim3 block(32, warps());
    const dim3 grid((width + 31) / 32, (rows + block.y - 1) / block.y);
    cudaError_t error = cudaSuccess;
    for (int y = 0; y < height && error == cudaSuccess; y += rows) {
        const int end = height < y + rows ? height : y + rows;
        band<Sum><<<grid, block>>>(image, width, height, mask, radius, border, out, y, end);
        error = cudaGetLastError();
    }
    return error;
}

cudaError_t correlate_device(const float *d_image, int width, int height, const float *d_mask,
                             int radius, enum border border, float *d_out) {
    return all_bands<fused>(d_image, width, height, d_mask, radius, border, d_out);
}

cudaError_t correlate_identical(const float *d_image, int width, int height, const float *d_mask,
                                int radius, enum border border, float *d_out) {
    return all_bands<rounded>(d_image, width, height, d_mask, radius, border, d_out);
}

/* What must be freed: a list on the stack. */
struct owned {
    void *memory;
    struct owned *next;
};

static cudaError_t get(struct owned *mine, struct owned **list, size_t bytes) {
    mine->memory = NULL;
    mine->next = *list;
    *list = mine;
    return cudaMalloc(&mine->memory, bytes);
}

static void free_all(const struct owned *list) {
    if (list != NULL) {
        cudaFree(list->memory);
        free_all(list->next);
    }
}

cudaError_t correlate_host(const float *h_image, int width, int height, const float *h_mask,
                           int radius, enum border border, float *h_out) {
    const size_t bytes = sizeof(float) * width * height;
    const size_t mask_bytes = sizeof(float) * (2 * radius + 1) * (2 * radius + 1);
    struct owned image, mask, out, *list = NULL;
    cudaError_t e;
    (e = get(&image, &list, bytes)) || (e = get(&mask, &list, mask_bytes)) ||
        (e = get(&out, &list, bytes)) ||
        (e = cudaMemcpy(image.memory, h_image, bytes, cudaMemcpyHostToDevice)) ||
        (e = cudaMemcpy(mask.memory, h_mask, mask_bytes, cudaMemcpyHostToDevice)) ||
        (e = correlate_device((const float *)image.memory, width, height,
                              (const float *)mask.memory, radius, border, (float *)out.memory)) ||
        (e = cudaDeviceSynchronize()) ||
        (e = cudaMemcpy(h_out, out.memory, bytes, cudaMemcpyDeviceToHost));
    free_all(list);
    return e;
}

cudaError_t correlate_staged(enum host_memory kind, const float *h_image, int width, int height,
                             const float *h_mask, int radius, enum border border, float *h_out) {
    const size_t bytes = sizeof(float) * width * height;
    if (kind == HOST_PAGEABLE) {
        float *copy = (float *)malloc(bytes);
        if (!copy) {
            return cudaErrorMemoryAllocation;
        }
        memcpy(copy, h_image, bytes);
        const cudaError_t error =
            correlate_host(copy, width, height, h_mask, radius, border, h_out);
        free(copy);
        return error;
    }
    if (kind != HOST_PINNED && kind != HOST_WRITE_COMBINED) {
        return cudaErrorInvalidValue;
    }
    void *copy = NULL;
    cudaError_t error = cudaHostAlloc(
        &copy, bytes, kind == HOST_PINNED ? cudaHostAllocDefault : cudaHostAllocWriteCombined);
    if (!error) {
        for (int y = 0; y < height; y++) {
            memcpy((float *)copy + (size_t)y * width, h_image + (size_t)y * width,
                   sizeof(float) * width);
        }
        error = correlate_host((const float *)copy, width, height, h_mask, radius, border, h_out);
        cudaFreeHost(copy);
    }
    return error;
}
