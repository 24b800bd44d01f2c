/* Lab 3, as fast as we know how: notes.md, "The expert", says why it is written this way.
 *
 * A thread computes groups of four neighbouring pixels, so that pixel i of a group has phase i: all
 * lanes of a warp read the same coefficient, whatever the phase. For a small mask, what the threads
 * of a block share comes from the L1 cache; for a large one it comes from a tile in shared memory.
 */
#include "lab.h"

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

/* How many groups of `size` cover `count` things; the last group may be partly filled. */
inline unsigned ceil_div(int count, int size) {
    return (unsigned)((count + size - 1) / size);
}

inline __device__ int clamp(int value, int low, int high) {
    return min(max(value, low), high);
}

/* Returns f(x, y), with the border. */
inline __device__ float pixel(const float *d_image, int width, int height, int x, int y,
                              enum border border) {
    const int column = clamp(x, 0, width - 1), row = clamp(y, 0, height - 1);
    const bool outside = column != x || row != y;
    return outside && border == BORDER_ZERO ? 0.0f : d_image[(size_t)row * width + column];
}

typedef cudaError_t launch(const float *d_image, int width, int height, enum border border,
                           float *d_out);

/* Coefficient (a, b) of the mask, or of the mask of phase i of the bank. */
template <int RADIUS, int MASKS> inline __device__ float coefficient(int b, int a, int i) {
    constexpr int size = 2 * RADIUS + 1;
    return MASKS == 1 ? c_mask[b * size + a] : c_bank[PHASES * (b * size + a) + i];
}

/* ---- groups of four neighbouring pixels ---- */

/* A thread computes groups of four neighbouring pixels: it loads and stores them as one float4. */
enum { GROUP = 4 };

/* How many groups hold the apron of a row on one side. */
inline constexpr __host__ __device__ int apron_groups(int radius) {
    return (radius + GROUP - 1) / GROUP;
}

/* Returns pixels x .. x+3 of row y, with the border. INSIDE: all four are in the image, and their
 * address is a multiple of 16 bytes. */
template <bool INSIDE>
inline __device__ float4 four_pixels(const float *d_image, int width, int height, int x, int y,
                                     enum border border) {
    if (INSIDE) {
        return *(const float4 *)(d_image + (size_t)y * width + x);
    }
    return make_float4(pixel(d_image, width, height, x, y, border),
                       pixel(d_image, width, height, x + 1, y, border),
                       pixel(d_image, width, height, x + 2, y, border),
                       pixel(d_image, width, height, x + 3, y, border));
}

/* Writes those of the pixels x .. x+3 of row y that are in the image. No thread reads them again,
 * so they may leave the cache first. */
template <bool INSIDE>
inline __device__ void store_four(float *d_out, int width, int height, int x, int y,
                                  const float *value) {
    float *const d_first = d_out + (size_t)y * width + x;
    if (INSIDE) {
        __stcs((float4 *)d_first, make_float4(value[0], value[1], value[2], value[3]));
        return;
    }
#pragma unroll
    for (int i = 0; i < GROUP; i++) {
        if (x + i < width && y < height) {
            d_first[i] = value[i];
        }
    }
}

/* Whether the columns from `left` on and the rows from `top` on, with their aprons, are all in the
 * image, in whole groups. */
inline __device__ bool is_inside(int width, int height, int left, int wide, int top, int high,
                                 int radius) {
    const int apron = GROUP * apron_groups(radius);
    return width % GROUP == 0 && left >= apron && left + wide + apron <= width && top >= radius &&
           top + high + radius <= height;
}

inline __device__ void put(float *to, float4 four) {
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

/* ---- small masks: HIGH groups per thread, one below the other ---- */

/* What bounds a small mask is memory: many threads, few registers, all loads early. A warp has 128
 * columns; the rows that the WARPS warps of a block share come from the L1 cache. */
enum { LANES = 32, WIDE = GROUP * LANES };

template <int RADIUS, int MASKS, int HIGH, bool INSIDE>
inline __device__ void patch(const float *d_image, int width, int height, enum border border, int x,
                             int top, float *d_out) {
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
                    sum[j][i] += line[GROUP * before - RADIUS + i + a] *
                                 coefficient<RADIUS, MASKS>(row - j, a, i);
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
template <int RADIUS, int MASKS, int HIGH, int WARPS, int BLOCKS>
__global__ void __launch_bounds__(LANES *WARPS, BLOCKS)
    patch_kernel(const float *d_image, int width, int height, enum border border, float *d_out) {
    const int left = blockIdx.x * WIDE, x = left + GROUP * threadIdx.x;
    const int first = blockIdx.y * (HIGH * WARPS), top = first + HIGH * threadIdx.y;
    if (is_inside(width, height, left, WIDE, first, HIGH * WARPS, RADIUS)) {
        patch<RADIUS, MASKS, HIGH, true>(d_image, width, height, border, x, top, d_out);
    } else {
        patch<RADIUS, MASKS, HIGH, false>(d_image, width, height, border, x, top, d_out);
    }
}

template <int RADIUS, int MASKS, int HIGH, int WARPS, int BLOCKS>
static cudaError_t launch_patch(const float *d_image, int width, int height, enum border border,
                                float *d_out) {
    const dim3 grid(ceil_div(width, WIDE), ceil_div(height, HIGH * WARPS));
    patch_kernel<RADIUS, MASKS, HIGH, WARPS, BLOCKS>
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
#pragma unroll
    for (int j = 0; j < PATCH; j++) {
        if (inside) {
            store_four<true>(d_out, width, height, x, y + j, sum[j]);
        } else {
            store_four<false>(d_out, width, height, x, y + j, sum[j]);
        }
    }
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
        launch_patch<0, MASKS, 2, 8, 6>, launch_patch<1, MASKS, 2, 8, 6>,
        launch_patch<2, MASKS, 4, 4, 8>, launch_tile_groups<3, MASKS>,
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
