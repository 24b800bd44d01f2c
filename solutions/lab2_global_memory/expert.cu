/* Lab 2, as fast as we know how: notes.md, "The expert", says why it is written this way.
 *
 * A thread of parts A and D computes groups of four neighbouring pixels. For a small mask, pixels
 * that the threads of a block share come from the L1 cache, and the coefficients are in registers;
 * for a large one, both come from shared memory. Very large masks take one pixel per thread.
 */
#include "lab.h"

#include "../experts/patches.cuh"

#include <stdlib.h>
#include <string.h>

/* The largest radius that has a kernel of its own. */
enum { MAX_RADIUS = 8 };

typedef cudaError_t launch(const float *d_image, int width, int height, const float *d_mask,
                           enum border border, float *d_out);

/* IDENTICAL: the product and the sum are both rounded, as on a CPU. */
template <bool IDENTICAL> inline __device__ float add_tap(float sum, float pixel, float tap) {
    return IDENTICAL ? __fadd_rn(sum, __fmul_rn(pixel, tap)) : sum + pixel * tap;
}

/* ---- small masks: the coefficients are in registers ---- */

template <int RADIUS, bool IDENTICAL> struct taps {
    float tap[(2 * RADIUS + 1) * (2 * RADIUS + 1)];

    __device__ explicit taps(const float *d_mask) {
#pragma unroll
        for (int i = 0; i < (2 * RADIUS + 1) * (2 * RADIUS + 1); i++) {
            tap[i] = d_mask[i];
        }
    }
    __device__ float add(float sum, float pixel, int b, int a, int) const {
        return add_tap<IDENTICAL>(sum, pixel, tap[b * (2 * RADIUS + 1) + a]);
    }
};

/* BLOCKS on a multiprocessor at once: limits the registers of a thread. */
template <int RADIUS, bool IDENTICAL, int HIGH, int WARPS, int BLOCKS>
__global__ void __launch_bounds__(LANES *WARPS, BLOCKS)
    masked_patch_kernel(const float *d_image, int width, int height, const float *d_mask,
                        enum border border, float *d_out) {
    const int left = blockIdx.x * WIDE, x = left + GROUP * threadIdx.x;
    const int first = blockIdx.y * (HIGH * WARPS), top = first + HIGH * threadIdx.y;
    if (is_inside(width, height, left, WIDE, first, HIGH * WARPS, RADIUS)) {
        patch<RADIUS, HIGH, true>(d_image, width, height, border, x, top,
                                  taps<RADIUS, IDENTICAL>(d_mask), d_out);
    } else {
        patch<RADIUS, HIGH, false>(d_image, width, height, border, x, top,
                                   taps<RADIUS, IDENTICAL>(d_mask), d_out);
    }
}

template <int RADIUS, bool IDENTICAL, int HIGH, int WARPS, int BLOCKS>
static cudaError_t launch_small(const float *d_image, int width, int height, const float *d_mask,
                                enum border border, float *d_out) {
    const dim3 grid(ceil_div(width, WIDE), ceil_div(height, HIGH * WARPS));
    masked_patch_kernel<RADIUS, IDENTICAL, HIGH, WARPS, BLOCKS>
        <<<grid, dim3(LANES, WARPS)>>>(d_image, width, height, d_mask, border, d_out);
    return cudaGetLastError();
}

/* ---- large masks: PATCH groups per thread, from a tile in shared memory ---- */

/* Loads the tile and its apron, row by row: neighbouring threads load neighbouring pixels. */
template <int RADIUS, bool INSIDE>
inline __device__ void load_pixels(const float *d_image, int width, int height, enum border border,
                                   int left, int top, float *s_tile) {
    constexpr int apron = GROUP * apron_groups(RADIUS), in_row = TILE_WIDE + 2 * apron;
    constexpr int all = in_row * (TILE_HIGH + 2 * RADIUS);
    const int thread = threadIdx.y * ACROSS + threadIdx.x;
#pragma unroll
    for (int first = 0; first < all; first += THREADS) {
        const int i = first + thread;
        if (i < all) {
            const int x = left - apron + i % in_row, y = top - RADIUS + i / in_row;
            s_tile[i] = INSIDE ? d_image[(size_t)y * width + x]
                               : pixel(d_image, width, height, x, y, border);
        }
    }
}

template <int RADIUS, bool IDENTICAL>
__global__ void __launch_bounds__(THREADS, TILE_BLOCKS)
    tile_groups_kernel(const float *d_image, int width, int height, const float *d_mask,
                       enum border border, float *d_out) {
    constexpr int size = 2 * RADIUS + 1, before = apron_groups(RADIUS);
    constexpr int in_row = ACROSS + 2 * before;
    __shared__ float4 s_tile[in_row * (TILE_HIGH + 2 * RADIUS)];
    constexpr int pitch = (size + GROUP - 1) / GROUP * GROUP; /* floats in a row of s_mask */
    __shared__ float4 s_mask[size * pitch / GROUP];
    const int left = blockIdx.x * TILE_WIDE, top = blockIdx.y * TILE_HIGH;
    const bool inside = is_inside(width, height, left, TILE_WIDE, top, TILE_HIGH, RADIUS);
    if (inside) {
        load_pixels<RADIUS, true>(d_image, width, height, border, left, top, (float *)s_tile);
    } else {
        load_pixels<RADIUS, false>(d_image, width, height, border, left, top, (float *)s_tile);
    }
    for (int i = threadIdx.y * ACROSS + threadIdx.x; i < size * size; i += THREADS) {
        ((float *)s_mask)[i / size * pitch + i % size] = d_mask[i];
    }
    __syncthreads();

    /* Each row of the tile meets the rows of the mask that belong to this thread's results. */
    const float4 *const s_first = s_tile + threadIdx.y * PATCH * in_row + threadIdx.x;
    float sum[PATCH][GROUP] = {};
#pragma unroll
    for (int row = 0; row < PATCH + 2 * RADIUS; row++) {
        float line[GROUP * (2 * before + 1)];
#pragma unroll
        for (int g = 0; g <= 2 * before; g++) {
            put(line + GROUP * g, s_first[row * in_row + g]);
        }
        __syncwarp(); /* the compiler must not keep coefficients from row to row: they are many */
#pragma unroll
        for (int j = 0; j < PATCH; j++) {
            if (row < j || row - j >= size) {
                continue;
            }
            float tap[pitch];
#pragma unroll
            for (int a = 0; a < pitch; a += GROUP) {
                put(tap + a, s_mask[((row - j) * pitch + a) / GROUP]);
            }
#pragma unroll
            for (int a = 0; a < size; a++) {
#pragma unroll
                for (int i = 0; i < GROUP; i++) {
                    sum[j][i] = add_tap<IDENTICAL>(sum[j][i], line[GROUP * before - RADIUS + i + a],
                                                   tap[a]);
                }
            }
        }
    }
    const int x = left + GROUP * threadIdx.x, y = top + PATCH * threadIdx.y;
    store_patch(inside, d_out, width, height, x, y, sum);
}

template <int RADIUS, bool IDENTICAL>
static cudaError_t launch_tile_groups(const float *d_image, int width, int height,
                                      const float *d_mask, enum border border, float *d_out) {
    const dim3 grid(ceil_div(width, TILE_WIDE), ceil_div(height, TILE_HIGH));
    tile_groups_kernel<RADIUS, IDENTICAL>
        <<<grid, dim3(ACROSS, DOWN)>>>(d_image, width, height, d_mask, border, d_out);
    return cudaGetLastError();
}

/* ---- any other mask: one pixel per thread ---- */

template <bool IDENTICAL>
__global__ void general_kernel(const float *d_image, int width, int height, const float *d_mask,
                               int radius, enum border border, float *d_out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int size = 2 * radius + 1;
    if (x >= width || y >= height) {
        return;
    }
    float sum = 0.0f;
    for (int b = -radius; b <= radius; b++) {
        for (int a = -radius; a <= radius; a++) {
            const int column = clamp(x + a, 0, width - 1), row = clamp(y + b, 0, height - 1);
            if (border == BORDER_ZERO && (column != x + a || row != y + b)) {
                continue;
            }
            const float pixel = d_image[(size_t)row * width + column];
            const float tap = d_mask[(b + radius) * size + a + radius];
            sum = add_tap<IDENTICAL>(sum, pixel, tap);
        }
    }
    d_out[(size_t)y * width + x] = sum;
}

/* ---- parts A and D ---- */

template <bool IDENTICAL>
static cudaError_t correlate(const float *d_image, int width, int height, const float *d_mask,
                             int radius, enum border border, float *d_out) {
    static launch *const kernels[MAX_RADIUS + 1] = {
        launch_small<0, IDENTICAL, 2, 8, 6>, launch_small<1, IDENTICAL, 2, 8, 5>,
        launch_small<2, IDENTICAL, 4, 4, 6>, launch_tile_groups<3, IDENTICAL>,
        launch_tile_groups<4, IDENTICAL>,    launch_tile_groups<5, IDENTICAL>,
        launch_tile_groups<6, IDENTICAL>,    launch_tile_groups<7, IDENTICAL>,
        launch_tile_groups<8, IDENTICAL>};
    if (radius <= MAX_RADIUS) {
        return kernels[radius](d_image, width, height, d_mask, border, d_out);
    }
    const dim3 block(LANES, 8), grid(ceil_div(width, LANES), ceil_div(height, 8));
    general_kernel<IDENTICAL>
        <<<grid, block>>>(d_image, width, height, d_mask, radius, border, d_out);
    return cudaGetLastError();
}

cudaError_t correlate_device(const float *d_image, int width, int height, const float *d_mask,
                             int radius, enum border border, float *d_out) {
    return correlate<false>(d_image, width, height, d_mask, radius, border, d_out);
}

cudaError_t correlate_identical(const float *d_image, int width, int height, const float *d_mask,
                                int radius, enum border border, float *d_out) {
    return correlate<true>(d_image, width, height, d_mask, radius, border, d_out);
}

/* ---- part B: the host code ---- */

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
    if (error == cudaSuccess) { /* waits for the kernel, and returns an error in it too */
        error = cudaMemcpy(h_out, d_out, image_bytes, cudaMemcpyDeviceToHost);
    }
    cudaFree(d_image);
    cudaFree(d_mask);
    cudaFree(d_out);
    return error;
}

/* ---- part C: pageable, pinned, write-combined ---- */

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
