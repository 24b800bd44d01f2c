/* Lab 3, as fast as we know how: notes.md, "The expert", says why it is written this way.
 *
 * A thread computes groups of four neighbouring pixels, so that pixel i of a group has phase i: all
 * lanes of a warp read the same coefficient, whatever the phase. For a small mask, what the threads
 * of a block share comes from the L1 cache; for a large one it comes from a tile in shared memory.
 */
#include "lab.h"

#include "../experts/patches.cuh"

__constant__ float c_mask[MASK_MAX_SIZE];

/* The four coefficients of a tap are side by side: one float4. */
__constant__ __align__(16) float c_bank[PHASES * MASK_MAX_SIZE];

inline bool radius_allowed(int radius) {
    return radius >= 0 && radius <= MASK_MAX_RADIUS;
}

cudaError_t set_mask(const float *h_mask, int radius) {
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    const size_t coefficients = (size_t)(2 * radius + 1) * (2 * radius + 1);
    return cudaMemcpyToSymbol(c_mask, h_mask, coefficients * sizeof(float));
}

cudaError_t set_bank(const float *h_bank, int radius) {
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    const int coefficients = (2 * radius + 1) * (2 * radius + 1);
    float bank[PHASES * MASK_MAX_SIZE];
    for (int i = 0; i < PHASES * coefficients; i++) {
        bank[i] = h_bank[i % PHASES * coefficients + i / PHASES];
    }
    return cudaMemcpyToSymbol(c_bank, bank, PHASES * coefficients * sizeof(float));
}

typedef cudaError_t launch(const float *d_image, int width, int height, enum border border,
                           float *d_out);

/* Coefficient (a, b) of the mask, or of the mask of phase i of the bank. */
template <int RADIUS, int MASKS> inline __device__ float coefficient(int b, int a, int i) {
    constexpr int size = 2 * RADIUS + 1;
    return MASKS == 1 ? c_mask[b * size + a] : c_bank[PHASES * (b * size + a) + i];
}

template <int RADIUS, int MASKS> struct taps {
    __device__ float add(float sum, float pixel, int b, int a, int i) const {
        return sum + pixel * coefficient<RADIUS, MASKS>(b, a, i);
    }
};

/* For a small mask, whose coefficients may come from the cache for constants. */
template <int RADIUS, int MASKS, int HIGH, int WARPS, int BLOCKS>
static cudaError_t launch_small(const float *d_image, int width, int height, enum border border,
                                float *d_out) {
    return launch_patch<taps<RADIUS, MASKS>, RADIUS, HIGH, WARPS, BLOCKS>(d_image, width, height,
                                                                          border, d_out);
}

/* ---- large masks: PATCH groups per thread, from a tile in shared memory ---- */

/* Copies the bank to shared memory: four banks of a large mask are more than the cache for
 * constants holds. All lanes of a warp read the same coefficient, and one writes it. */
template <int COUNT> inline __device__ void copy_bank(float4 *s_bank) {
    const int thread = threadIdx.y * ACROSS + threadIdx.x;
    for (int i = thread / LANES; i < COUNT; i += THREADS / LANES) {
        const float4 phases = *(const float4 *)(c_bank + PHASES * i);
        if (thread % LANES == 0) {
            s_bank[i] = phases;
        }
    }
}

template <int RADIUS, int MASKS>
__global__ void __launch_bounds__(THREADS, TILE_BLOCKS)
    tile_groups_kernel(const float *d_image, int width, int height, enum border border,
                       float *d_out) {
    constexpr int size = 2 * RADIUS + 1, before = apron_groups(RADIUS);
    constexpr int in_row = ACROSS + 2 * before;
    __shared__ float4 s_tile[in_row * (TILE_HIGH + 2 * RADIUS)];
    __shared__ float4 s_bank[MASKS == 1 ? 1 : size * size]; /* all phases of a coefficient */
    const int left = blockIdx.x * TILE_WIDE, top = blockIdx.y * TILE_HIGH;
    const bool inside = is_inside(width, height, left, TILE_WIDE, top, TILE_HIGH, RADIUS);
    if (inside) {
        load_tile<RADIUS, true>(d_image, width, height, border, left, top, s_tile);
    } else {
        load_tile<RADIUS, false>(d_image, width, height, border, left, top, s_tile);
    }
    if (MASKS == PHASES) {
        copy_bank<size * size>(s_bank);
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
        if (MASKS == PHASES) {
            __syncwarp(); /* the compiler must not keep coefficients from row to row: they are many
                           */
        }
#pragma unroll
        for (int j = 0; j < PATCH; j++) {
            if (row < j || row - j >= size) {
                continue;
            }
#pragma unroll
            for (int a = 0; a < size; a++) {
                float phase[GROUP]; /* the coefficients of the four phases */
                if (MASKS == PHASES) {
                    put(phase, s_bank[(row - j) * size + a]);
                }
#pragma unroll
                for (int i = 0; i < GROUP; i++) {
                    sum[j][i] += line[GROUP * before - RADIUS + i + a] *
                                 (MASKS == 1 ? c_mask[(row - j) * size + a] : phase[i]);
                }
            }
        }
    }
    const int x = left + GROUP * threadIdx.x, y = top + PATCH * threadIdx.y;
    store_patch(inside, d_out, width, height, x, y, sum);
}

template <int RADIUS, int MASKS>
static cudaError_t launch_tile_groups(const float *d_image, int width, int height,
                                      enum border border, float *d_out) {
    const dim3 grid(ceil_div(width, TILE_WIDE), ceil_div(height, TILE_HIGH));
    tile_groups_kernel<RADIUS, MASKS>
        <<<grid, dim3(ACROSS, DOWN)>>>(d_image, width, height, border, d_out);
    return cudaGetLastError();
}

/* ---- a kernel for each radius ---- */

template <int MASKS>
static cudaError_t correlate(const float *d_image, int width, int height, int radius,
                             enum border border, float *d_out) {
    static launch *const kernels[] = {
        launch_small<0, MASKS, 2, 8, 6>, launch_small<1, MASKS, 2, 8, 6>,
        launch_small<2, MASKS, 4, 4, 8>, launch_tile_groups<3, MASKS>,
        launch_tile_groups<4, MASKS>,    launch_tile_groups<5, MASKS>,
        launch_tile_groups<6, MASKS>,    launch_tile_groups<7, MASKS>,
        launch_tile_groups<8, MASKS>};
    return radius_allowed(radius) ? kernels[radius](d_image, width, height, border, d_out)
                                  : cudaErrorInvalidValue;
}

cudaError_t correlate_constant(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    return correlate<1>(d_image, width, height, radius, border, d_out);
}

cudaError_t correlate_polyphase(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_out) {
    return correlate<PHASES>(d_image, width, height, radius, border, d_out);
}
