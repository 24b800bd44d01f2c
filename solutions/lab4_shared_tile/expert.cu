/* Lab 4, as fast as we know how: notes.md, "The expert", says why it is written this way.
 *
 * Parts A, B and C are the kernels that lab.h describes, with loops that the compiler unrolls. Part
 * D has three kernels. For a small mask a thread computes a small patch, and what the threads of a
 * block share comes from the L1 cache; for a large one it comes from a tile in shared memory; from
 * 13x13 on, results are computed in pairs, with a quarter fewer multiplications.
 */
#include "lab.h"

#include "../experts/patches.cuh"

#include <math.h>

__constant__ float c_mask[MASK_MAX_SIZE];
/* For pairs_kernel(): row 2t of the mask plus row 2t + 1, and whether the kernel may be used. */
enum { SUM_SIZE = MASK_MAX_RADIUS * (2 * MASK_MAX_RADIUS + 1) };
__constant__ float c_sum[SUM_SIZE];
static bool pairs_allowed;

inline bool radius_allowed(int radius) {
    return radius >= 0 && radius <= MASK_MAX_RADIUS;
}

cudaError_t set_mask(const float *h_mask, int radius) {
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    /* Where one coefficient of a pair is 0, the product with the other does not vanish quite. So a
     * pair may differ by a factor of 2^10 at most (notes.md). */
    const int size = 2 * radius + 1;
    float h_sum[SUM_SIZE];
    bool allowed = true;
    for (int t = 0; t < radius; t++) {
        for (int a = 0; a < size; a++) {
            const float even = h_mask[2 * t * size + a], odd = h_mask[(2 * t + 1) * size + a];
            const float low = fminf(fabsf(even), fabsf(odd)), high = fmaxf(fabsf(even), fabsf(odd));
            const float sum = even + odd; /* it may overflow */
            h_sum[t * size + a] = sum;
            allowed = allowed && low * 1024.0f >= high && isfinite(sum);
        }
    }
    const size_t row_bytes = size * sizeof(float);
    cudaError_t error = cudaMemcpyToSymbol(c_mask, h_mask, size * row_bytes);
    if (error == cudaSuccess) {
        error = cudaMemcpyToSymbol(c_sum, h_sum, radius * row_bytes);
    }
    pairs_allowed = allowed && error == cudaSuccess; /* or c_sum may be of another mask */
    return error;
}

typedef cudaError_t launch(const float *d_image, int width, int height, enum border border,
                           float *d_out);

/* ---- parts A and B: one thread per pixel, all taps unrolled ---- */

enum { BLOCK = 32, SIDE = BLOCK + 2 * MASK_MAX_RADIUS };

/* The sum over the window in shared memory whose top left is `window`; rows are STRIDE apart. Its
 * loads have constant offsets, and its coefficients constant addresses. */
template <int RADIUS, int STRIDE> inline __device__ float window_sum(const float *window) {
    constexpr int size = 2 * RADIUS + 1;
    float sum = 0.0f;
#pragma unroll
    for (int b = 0; b < size; b++) {
#pragma unroll
        for (int a = 0; a < size; a++) {
            sum += window[b * STRIDE + a] * c_mask[b * size + a];
        }
    }
    return sum;
}

template <int RADIUS>
__global__ void idle_kernel(const float *d_image, int width, int height, enum border border,
                            float *d_out) {
    __shared__ float s_tile[BLOCK][BLOCK];
    constexpr int tile = BLOCK - 2 * RADIUS;
    const int column = (int)threadIdx.x - RADIUS, row = (int)threadIdx.y - RADIUS;
    const int x = (int)blockIdx.x * tile + column, y = (int)blockIdx.y * tile + row;
    s_tile[threadIdx.y][threadIdx.x] = pixel(d_image, width, height, x, y, border);
    __syncthreads();

    const bool apron = column < 0 || column >= tile || row < 0 || row >= tile;
    if (!apron && x < width && y < height) {
        d_out[(size_t)y * width + x] = window_sum<RADIUS, BLOCK>(&s_tile[row][column]);
    }
}

template <int RADIUS>
static cudaError_t launch_idle(const float *d_image, int width, int height, enum border border,
                               float *d_out) {
    constexpr int tile = BLOCK - 2 * RADIUS;
    const dim3 grid(ceil_div(width, tile), ceil_div(height, tile));
    idle_kernel<RADIUS><<<grid, dim3(BLOCK, BLOCK)>>>(d_image, width, height, border, d_out);
    return cudaGetLastError();
}

template <int RADIUS>
__global__ void tile_kernel(const float *d_image, int width, int height, enum border border,
                            float *d_out) {
    __shared__ float s_tile[SIDE][SIDE];
    constexpr int side = BLOCK + 2 * RADIUS;
    const int left = (int)blockIdx.x * BLOCK - RADIUS, top = (int)blockIdx.y * BLOCK - RADIUS;
#pragma unroll
    for (int v = 0; v < side; v += BLOCK) {
#pragma unroll
        for (int u = 0; u < side; u += BLOCK) {
            const int row = v + threadIdx.y, column = u + threadIdx.x;
            if (row < side && column < side) {
                s_tile[row][column] =
                    pixel(d_image, width, height, left + column, top + row, border);
            }
        }
    }
    __syncthreads();

    const int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y * BLOCK + threadIdx.y;
    if (x < width && y < height) {
        d_out[(size_t)y * width + x] = window_sum<RADIUS, SIDE>(&s_tile[threadIdx.y][threadIdx.x]);
    }
}

template <int RADIUS>
static cudaError_t launch_tile(const float *d_image, int width, int height, enum border border,
                               float *d_out) {
    const dim3 grid(ceil_div(width, BLOCK), ceil_div(height, BLOCK));
    tile_kernel<RADIUS><<<grid, dim3(BLOCK, BLOCK)>>>(d_image, width, height, border, d_out);
    return cudaGetLastError();
}

/* ---- part C: dynamic shared memory; a thread computes EACH pixels of a column ---- */

enum { EACH = 8, DYNAMIC_ROWS = DYNAMIC_TILE / EACH };

inline size_t dynamic_bytes(int radius) {
    const size_t side = DYNAMIC_TILE + 2 * (size_t)radius, size = 2 * (size_t)radius + 1;
    return (side * side + size * size) * sizeof(float);
}

__global__ void dynamic_kernel(const float *d_image, int width, int height, const float *d_mask,
                               int radius, enum border border, float *d_out) {
    extern __shared__ float s_dynamic[];
    const int side = DYNAMIC_TILE + 2 * radius, size = 2 * radius + 1;
    float *const s_tile = s_dynamic, *const s_mask = s_dynamic + side * side;
    const int left = (int)blockIdx.x * DYNAMIC_TILE - radius;
    const int top = (int)blockIdx.y * DYNAMIC_TILE - radius;
    for (int row = threadIdx.y; row < side; row += DYNAMIC_ROWS) {
        for (int column = threadIdx.x; column < side; column += DYNAMIC_TILE) {
            s_tile[row * side + column] =
                pixel(d_image, width, height, left + column, top + row, border);
        }
    }
    for (int i = threadIdx.y * DYNAMIC_TILE + threadIdx.x; i < size * size;
         i += DYNAMIC_ROWS * DYNAMIC_TILE) {
        s_mask[i] = d_mask[i];
    }
    __syncthreads();

    /* Down one column of the mask: result k needs the pixel k below the tap. The window of EACH
     * pixels is a ring, so a step loads one pixel and one coefficient for EACH multiply-adds. */
    float sum[EACH] = {};
    for (int a = 0; a < size; a++) {
        const float *const s_column = s_tile + EACH * threadIdx.y * side + threadIdx.x + a;
        float window[EACH];
#pragma unroll
        for (int k = 0; k < EACH - 1; k++) {
            window[k] = s_column[k * side];
        }
        for (int first = 0; first < size; first += EACH) {
#pragma unroll
            for (int step = 0; step < EACH; step++) {
                const int b = first + step;
                if (b < size) {
                    window[(step + EACH - 1) % EACH] = s_column[(b + EACH - 1) * side];
                    const float tap = s_mask[b * size + a];
#pragma unroll
                    for (int k = 0; k < EACH; k++) {
                        sum[k] += window[(step + k) % EACH] * tap;
                    }
                }
            }
        }
    }
    const int x = blockIdx.x * DYNAMIC_TILE + threadIdx.x;
    const int y = blockIdx.y * DYNAMIC_TILE + EACH * threadIdx.y;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (x < width && y + k < height) {
            d_out[(size_t)(y + k) * width + x] = sum[k];
        }
    }
}

cudaError_t correlate_dynamic(const float *d_image, int width, int height, const float *d_mask,
                              int radius, enum border border, float *d_out) {
    int device, most;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    }
    if (error != cudaSuccess) {
        return error;
    }
    if (radius < 0 || dynamic_bytes(radius) > (size_t)most) {
        return cudaErrorInvalidValue;
    }
    const size_t bytes = dynamic_bytes(radius);
    error = cudaFuncSetAttribute(dynamic_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)bytes);
    if (error != cudaSuccess) {
        return error;
    }
    const dim3 grid(ceil_div(width, DYNAMIC_TILE), ceil_div(height, DYNAMIC_TILE));
    const dim3 block(DYNAMIC_TILE, DYNAMIC_ROWS);
    dynamic_kernel<<<grid, block, bytes>>>(d_image, width, height, d_mask, radius, border, d_out);
    return cudaGetLastError();
}

/* ---- part D, small masks ---- */

template <int RADIUS> struct taps {
    __device__ float add(float sum, float pixel, int b, int a, int) const {
        return sum + pixel * c_mask[b * (2 * RADIUS + 1) + a];
    }
};

template <int RADIUS, int HIGH, int WARPS, int BLOCKS>
static cudaError_t launch_small(const float *d_image, int width, int height, enum border border,
                                float *d_out) {
    return launch_patch<taps<RADIUS>, RADIUS, HIGH, WARPS, BLOCKS>(d_image, width, height, border,
                                                                   d_out);
}

/* ---- part D, large masks: PATCH groups per thread, from a tile in shared memory ---- */

/* Adds to sum[j] the rows j .. j+TAPS-1 from s_first on, which are in_row groups apart, times TAPS
 * rows of the mask, which are STRIDE coefficients apart. Each row is loaded once, and meets the
 * rows of the mask that belong to this thread's results.
 *
 * TOGETHER: all threads of the block wait for each other at every row. They share nothing that is
 * written there: they wait so that they run the same instructions, which then come from the nearest
 * instruction cache. The unrolled code is larger than that cache (notes.md, "The expert"). */
template <int RADIUS, int RESULTS, int TAPS, int STRIDE, bool TOGETHER>
inline __device__ void add_rows(const float4 *s_first, const float *c_first,
                                float (&sum)[RESULTS][GROUP]) {
    constexpr int size = 2 * RADIUS + 1, before = apron_groups(RADIUS);
    constexpr int in_row = ACROSS + 2 * before;
#pragma unroll
    for (int row = 0; row < RESULTS + TAPS - 1; row++) {
        if (TOGETHER) {
            __syncthreads();
        }
        float line[GROUP * (2 * before + 1)];
#pragma unroll
        for (int g = 0; g <= 2 * before; g++) {
            put(line + GROUP * g, s_first[row * in_row + g]);
        }
#pragma unroll
        for (int j = 0; j < RESULTS; j++) {
            if (row < j || row - j >= TAPS) {
                continue;
            }
#pragma unroll
            for (int a = 0; a < size; a++) {
#pragma unroll
                for (int i = 0; i < GROUP; i++) {
                    sum[j][i] +=
                        line[GROUP * before - RADIUS + i + a] * c_first[(row - j) * STRIDE + a];
                }
            }
        }
    }
}

template <int RADIUS>
__global__ void __launch_bounds__(THREADS, TILE_BLOCKS)
    tile_groups_kernel(const float *d_image, int width, int height, enum border border,
                       float *d_out) {
    constexpr int size = 2 * RADIUS + 1, before = apron_groups(RADIUS);
    constexpr int in_row = ACROSS + 2 * before;
    __shared__ float4 s_tile[in_row * (TILE_HIGH + 2 * RADIUS)];
    const int left = blockIdx.x * TILE_WIDE, top = blockIdx.y * TILE_HIGH;
    const bool inside = is_inside(width, height, left, TILE_WIDE, top, TILE_HIGH, RADIUS);
    if (inside) {
        load_tile<RADIUS, true>(d_image, width, height, border, left, top, s_tile);
    } else {
        load_tile<RADIUS, false>(d_image, width, height, border, left, top, s_tile);
    }
    __syncthreads();

    float sum[PATCH][GROUP] = {};
    add_rows<RADIUS, PATCH, size, size, false>(s_tile + threadIdx.y * PATCH * in_row + threadIdx.x,
                                               c_mask, sum);

    const int x = left + GROUP * threadIdx.x, y = top + PATCH * threadIdx.y;
    store_patch(inside, d_out, width, height, x, y, sum);
}

template <int RADIUS>
static cudaError_t launch_tile_groups(const float *d_image, int width, int height,
                                      enum border border, float *d_out) {
    const dim3 grid(ceil_div(width, TILE_WIDE), ceil_div(height, TILE_HIGH));
    tile_groups_kernel<RADIUS><<<grid, dim3(ACROSS, DOWN)>>>(d_image, width, height, border, d_out);
    return cudaGetLastError();
}

/* ---- the largest masks: pairs of rows, with a quarter fewer multiplications ---- */

/* Let e(k) and o(k) be the rows 2k and 2k+1 of the tile, E(t) and O(t) those of the mask, and E(t)
 * e(k) the sum over the columns. Two results, one below the other, are then, for t from 0 to r-1,
 *
 *   out(2k)   = sum of E(t) e(k+t) + sum of O(t) o(k+t)   + E(r) e(k+r)
 *   out(2k+1) = sum of E(t) o(k+t) + sum of O(t) e(k+t+1) + E(r) o(k+r)
 *
 * four sums of r rows and two single rows. Three sums are enough:
 *
 *   m(k)      = sum of (E + O)(t) o(k+t)
 *   out(2k)   = m(k) + sum of E(t) (e(k+t) - o(k+t))   + E(r) e(k+r)
 *   out(2k+1) = m(k) + sum of O(t) (e(k+t+1) - o(k+t)) + E(r) o(k+r)
 *
 * S. Winograd, Arithmetic Complexity of Computations, SIAM 1980: F(2, 2); for filters of any length
 * Z.-J. Mou and P. Duhamel, IEEE Trans. Signal Processing 39(6), 1991. The differences are computed
 * once for a block: the tile has four planes.
 *
 * m(k) has products that the other sum takes away again, so results are rounded like sums of larger
 * numbers. Still, a result depends on its own window alone, and is 0 where the window is black. */
enum { PAIRS = 2, PAIRS_DOWN = 16, PAIRS_THREADS = ACROSS * PAIRS_DOWN };
enum { PAIRS_HIGH = 2 * PAIRS * PAIRS_DOWN, PAIRS_BLOCKS = 4 };

template <int RADIUS> struct planes {
    enum { in_row = ACROSS + 2 * apron_groups(RADIUS), rows = PAIRS * PAIRS_DOWN };
    float4 odd[in_row * (rows + RADIUS)];
    float4 even_minus_odd[in_row * (rows + RADIUS - 1)];
    float4 next_minus_odd[in_row * (rows + RADIUS - 1)]; /* e(k+1) - o(k) */
    float4 even[in_row * rows];                          /* from e(r) on */
};

inline __device__ float4 minus(float4 a, float4 b) {
    return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
}

template <int RADIUS, bool INSIDE>
inline __device__ void load_planes(const float *d_image, int width, int height, enum border border,
                                   int left, int top, planes<RADIUS> *s) {
    constexpr int in_row = planes<RADIUS>::in_row;
    constexpr int all = in_row * (planes<RADIUS>::rows + RADIUS);
    const int thread = threadIdx.y * ACROSS + threadIdx.x;
#pragma unroll
    for (int first = 0; first < all; first += PAIRS_THREADS) {
        const int i = first + thread;
        if (i < all) {
            const int x = left + GROUP * (i % in_row - apron_groups(RADIUS));
            const int y = top + 2 * (i / in_row) - RADIUS;
            const float4 even = four_pixels<INSIDE>(d_image, width, height, x, y, border);
            const float4 odd = four_pixels<INSIDE>(d_image, width, height, x, y + 1, border);
            s->odd[i] = odd;
            if (i < all - in_row) {
                const float4 next = four_pixels<INSIDE>(d_image, width, height, x, y + 2, border);
                s->even_minus_odd[i] = minus(even, odd);
                s->next_minus_odd[i] = minus(next, odd);
            }
            if (i >= in_row * RADIUS) {
                s->even[i - in_row * RADIUS] = even;
            }
        }
    }
}

template <int RADIUS>
__global__ void __launch_bounds__(PAIRS_THREADS, PAIRS_BLOCKS)
    pairs_kernel(const float *d_image, int width, int height, enum border border, float *d_out) {
    constexpr int size = 2 * RADIUS + 1, in_row = planes<RADIUS>::in_row;
    __shared__ planes<RADIUS> s;
    const int left = blockIdx.x * TILE_WIDE, top = blockIdx.y * PAIRS_HIGH;
    const bool inside = is_inside(width, height, left, TILE_WIDE, top, PAIRS_HIGH, RADIUS);
    if (inside) {
        load_planes<RADIUS, true>(d_image, width, height, border, left, top, &s);
    } else {
        load_planes<RADIUS, false>(d_image, width, height, border, left, top, &s);
    }
    __syncthreads();

    const int first = threadIdx.y * PAIRS * in_row + threadIdx.x, last = first + RADIUS * in_row;
    const float *const c_last = c_mask + 2 * RADIUS * size;
    float even[PAIRS][GROUP] = {}, odd[PAIRS][GROUP];
    add_rows<RADIUS, PAIRS, RADIUS, size, true>(s.odd + first, c_sum, even);
#pragma unroll
    for (int k = 0; k < PAIRS; k++) {
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            odd[k][i] = even[k][i];
        }
    }
    add_rows<RADIUS, PAIRS, 1, size, true>(s.odd + last, c_last, odd);
    add_rows<RADIUS, PAIRS, RADIUS, 2 * size, true>(s.next_minus_odd + first, c_mask + size, odd);
    add_rows<RADIUS, PAIRS, RADIUS, 2 * size, true>(s.even_minus_odd + first, c_mask, even);
    add_rows<RADIUS, PAIRS, 1, size, true>(s.even + first, c_last, even);

    const int x = left + GROUP * threadIdx.x, y = top + 2 * PAIRS * threadIdx.y;
#pragma unroll
    for (int k = 0; k < PAIRS; k++) {
        if (inside) {
            store_four<true>(d_out, width, height, x, y + 2 * k, even[k]);
            store_four<true>(d_out, width, height, x, y + 2 * k + 1, odd[k]);
        } else {
            store_four<false>(d_out, width, height, x, y + 2 * k, even[k]);
            store_four<false>(d_out, width, height, x, y + 2 * k + 1, odd[k]);
        }
    }
}

template <int RADIUS>
static cudaError_t launch_pairs(const float *d_image, int width, int height, enum border border,
                                float *d_out) {
    const dim3 grid(ceil_div(width, TILE_WIDE), ceil_div(height, PAIRS_HIGH));
    pairs_kernel<RADIUS><<<grid, dim3(ACROSS, PAIRS_DOWN)>>>(d_image, width, height, border, d_out);
    return cudaGetLastError();
}

/* ---- a kernel for each radius ---- */

cudaError_t correlate_idle(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    static launch *const kernels[] = {launch_idle<0>, launch_idle<1>, launch_idle<2>,
                                      launch_idle<3>, launch_idle<4>, launch_idle<5>,
                                      launch_idle<6>, launch_idle<7>, launch_idle<8>};
    return radius_allowed(radius) ? kernels[radius](d_image, width, height, border, d_out)
                                  : cudaErrorInvalidValue;
}

cudaError_t correlate_tile(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    static launch *const kernels[] = {launch_tile<0>, launch_tile<1>, launch_tile<2>,
                                      launch_tile<3>, launch_tile<4>, launch_tile<5>,
                                      launch_tile<6>, launch_tile<7>, launch_tile<8>};
    return radius_allowed(radius) ? kernels[radius](d_image, width, height, border, d_out)
                                  : cudaErrorInvalidValue;
}

cudaError_t correlate_register(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    static launch *const kernels[] = {
        launch_small<0, 2, 8, 6>, launch_small<1, 2, 8, 6>, launch_small<2, 4, 4, 8>,
        launch_tile_groups<3>,    launch_tile_groups<4>,    launch_tile_groups<5>,
        launch_tile_groups<6>,    launch_tile_groups<7>,    launch_tile_groups<8>};
    static launch *const in_pairs[] = {launch_pairs<6>, launch_pairs<7>, launch_pairs<8>};
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    launch *const kernel = radius >= 6 && pairs_allowed ? in_pairs[radius - 6] : kernels[radius];
    return kernel(d_image, width, height, border, d_out);
}
