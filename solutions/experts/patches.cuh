/* What the experts of labs 2 to 4 share: patches of pixels that a thread computes. To be included
 * after lab.h. */
#pragma once

#include "groups.cuh"

/* Whether the columns from `left` on and the rows from `top` on, with their aprons, are all in the
 * image, in whole groups. */
inline __device__ bool is_inside(int width, int height, int left, int wide, int top, int high,
                                 int radius) {
    const int apron = GROUP * apron_groups(radius);
    return width % GROUP == 0 && left >= apron && left + wide + apron <= width && top >= radius &&
           top + high + radius <= height;
}

/* ---- small masks: HIGH groups per thread, one below the other ---- */

/* What bounds a small mask is memory: many threads, few registers, all loads early. A warp has 128
 * columns; the rows that the WARPS warps of a block share come from the L1 cache. */

/* taps.add(): a sum plus the product of pixel i of a group and coefficient (a, b). */
template <int RADIUS, int HIGH, bool INSIDE, class TAPS>
inline __device__ void patch(const float *d_image, int width, int height, enum border border, int x,
                             int top, const TAPS &taps, float *d_out) {
    constexpr int size = 2 * RADIUS + 1, before = apron_groups(RADIUS);
    float sum[HIGH][GROUP] = {};
#pragma unroll
    for (int row = 0; row < HIGH + 2 * RADIUS; row++) {
        float line[GROUP * (2 * before + 1)];
#pragma unroll
        for (int g = 0; g <= 2 * before; g++) {
            put(line + GROUP * g,
                four_pixels<INSIDE>(d_image, width, height, x + GROUP * (g - before),
                                    top - RADIUS + row, border));
        }
#pragma unroll
        for (int j = 0; j < HIGH; j++) {
            if (row < j || row - j >= size) {
                continue;
            }
#pragma unroll
            for (int a = 0; a < size; a++) {
#pragma unroll
                for (int i = 0; i < GROUP; i++) {
                    const float pixel = line[GROUP * before - RADIUS + i + a];
                    sum[j][i] = taps.add(sum[j][i], pixel, row - j, a, i);
                }
            }
        }
    }
#pragma unroll
    for (int j = 0; j < HIGH; j++) {
        store_four<INSIDE>(d_out, width, height, x, top + j, sum[j]);
    }
}

/* BLOCKS on a multiprocessor at once: limits the registers of a thread. */
template <class TAPS, int RADIUS, int HIGH, int WARPS, int BLOCKS>
__global__ void __launch_bounds__(LANES *WARPS, BLOCKS)
    patch_kernel(const float *d_image, int width, int height, enum border border, float *d_out) {
    const int left = blockIdx.x * WIDE, x = left + GROUP * threadIdx.x;
    const int first = blockIdx.y * (HIGH * WARPS), top = first + HIGH * threadIdx.y;
    if (is_inside(width, height, left, WIDE, first, HIGH * WARPS, RADIUS)) {
        patch<RADIUS, HIGH, true>(d_image, width, height, border, x, top, TAPS(), d_out);
    } else {
        patch<RADIUS, HIGH, false>(d_image, width, height, border, x, top, TAPS(), d_out);
    }
}

template <class TAPS, int RADIUS, int HIGH, int WARPS, int BLOCKS>
static cudaError_t launch_patch(const float *d_image, int width, int height, enum border border,
                                float *d_out) {
    const dim3 grid(ceil_div(width, WIDE), ceil_div(height, HIGH * WARPS));
    patch_kernel<TAPS, RADIUS, HIGH, WARPS, BLOCKS>
        <<<grid, dim3(LANES, WARPS)>>>(d_image, width, height, border, d_out);
    return cudaGetLastError();
}

/* ---- large masks: PATCH groups per thread, from a tile in shared memory ---- */

/* What bounds a large mask is arithmetic: as few other instructions as possible. A block has
 * ACROSS x DOWN threads, so its tile is 64 x 32 pixels. */
enum { PATCH = 4, ACROSS = 16, DOWN = 8, THREADS = ACROSS * DOWN };
enum { TILE_WIDE = ACROSS * GROUP, TILE_HIGH = DOWN * PATCH };

/* How many blocks a multiprocessor can have at once: limits the registers of a thread. */
enum { TILE_BLOCKS = 6 };

/* Loads the tile and its apron, row by row, in whole groups. */
template <int RADIUS, bool INSIDE>
inline __device__ void load_tile(const float *d_image, int width, int height, enum border border,
                                 int left, int top, float4 *s_tile) {
    constexpr int in_row = ACROSS + 2 * apron_groups(RADIUS);
    constexpr int all = in_row * (TILE_HIGH + 2 * RADIUS);
    const int thread = threadIdx.y * ACROSS + threadIdx.x;
#pragma unroll
    for (int first = 0; first < all; first += THREADS) {
        const int i = first + thread;
        if (i < all) {
            s_tile[i] = four_pixels<INSIDE>(d_image, width, height,
                                            left + GROUP * (i % in_row - apron_groups(RADIUS)),
                                            top + i / in_row - RADIUS, border);
        }
    }
}

/* Writes what a thread has computed, from pixels x .. x+3 of row y on. */
inline __device__ void store_patch(bool inside, float *d_out, int width, int height, int x, int y,
                                   const float (&sum)[PATCH][GROUP]) {
#pragma unroll
    for (int j = 0; j < PATCH; j++) {
        if (inside) {
            store_four<true>(d_out, width, height, x, y + j, sum[j]);
        } else {
            store_four<false>(d_out, width, height, x, y + j, sum[j]);
        }
    }
}
