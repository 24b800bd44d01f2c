/* Lab 4 with a faster part D: from 13x13 on, results are computed in pairs, with a quarter fewer
 * multiplications. All else is shared_tile.cu. notes.md, "The expert", says why it is written this
 * way. */
#include "lab.h"

#include <math.h>

#define set_mask set_plain_mask
#define correlate_register correlate_patches
#include "shared_tile.cu"
#undef set_mask
#undef correlate_register

/* Row 2t of the mask plus row 2t + 1, and whether pairs_kernel() may be used. */
enum { SUM_SIZE = MASK_MAX_RADIUS * (2 * MASK_MAX_RADIUS + 1) };
__constant__ float c_sum[SUM_SIZE];
static bool pairs_allowed;

cudaError_t set_mask(const float *h_mask, int radius) {
    cudaError_t error = set_plain_mask(h_mask, radius);
    if (error != cudaSuccess) {
        return error;
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
    error = cudaMemcpyToSymbol(c_sum, h_sum, radius * size * sizeof(float));
    pairs_allowed = allowed && error == cudaSuccess; /* or c_sum may be of another mask */
    return error;
}

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

/* Adds to sum[j] the rows j .. j+TAPS-1 from s_first on, which are in_row groups apart, times TAPS
 * rows of the mask, which are STRIDE coefficients apart. Each row is loaded once, and meets the
 * rows of the mask that belong to this thread's results.
 *
 * All threads of the block wait for each other at every row. They share nothing that is written
 * there: they wait so that they run the same instructions, which then come from the nearest
 * instruction cache. The unrolled code is larger than that cache (notes.md, "The expert"). */
template <int RADIUS, int TAPS, int STRIDE>
inline __device__ void add_rows(const float4 *s_first, const float *c_first,
                                float (&sum)[PAIRS][GROUP]) {
    constexpr int size = 2 * RADIUS + 1, before = apron_groups(RADIUS);
#pragma unroll
    for (int row = 0; row < PAIRS + TAPS - 1; row++) {
        __syncthreads();
        float line[GROUP * (2 * before + 1)];
#pragma unroll
        for (int g = 0; g <= 2 * before; g++) {
            const float4 four = s_first[row * planes<RADIUS>::in_row + g];
            line[GROUP * g] = four.x, line[GROUP * g + 1] = four.y;
            line[GROUP * g + 2] = four.z, line[GROUP * g + 3] = four.w;
        }
#pragma unroll
        for (int j = 0; j < PAIRS; j++) {
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
__global__ void __launch_bounds__(PAIRS_THREADS, PAIRS_BLOCKS)
    pairs_kernel(const float *d_image, int width, int height, enum border border, float *d_out) {
    constexpr int size = 2 * RADIUS + 1, in_row = planes<RADIUS>::in_row;
    constexpr int apron = GROUP * apron_groups(RADIUS);
    __shared__ planes<RADIUS> s;
    const int left = blockIdx.x * WIDE, top = blockIdx.y * PAIRS_HIGH;
    const bool inside = width % GROUP == 0 && left >= apron && left + WIDE + apron <= width &&
                        top >= RADIUS && top + PAIRS_HIGH + RADIUS <= height;
    if (inside) {
        load_planes<RADIUS, true>(d_image, width, height, border, left, top, &s);
    } else {
        load_planes<RADIUS, false>(d_image, width, height, border, left, top, &s);
    }
    __syncthreads();

    const int first = threadIdx.y * PAIRS * in_row + threadIdx.x, last = first + RADIUS * in_row;
    const float *const c_last = c_mask + 2 * RADIUS * size;
    float even[PAIRS][GROUP] = {}, odd[PAIRS][GROUP];
    add_rows<RADIUS, RADIUS, size>(s.odd + first, c_sum, even);
#pragma unroll
    for (int k = 0; k < PAIRS; k++) {
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            odd[k][i] = even[k][i];
        }
    }
    add_rows<RADIUS, 1, size>(s.odd + last, c_last, odd);
    add_rows<RADIUS, RADIUS, 2 * size>(s.next_minus_odd + first, c_mask + size, odd);
    add_rows<RADIUS, RADIUS, 2 * size>(s.even_minus_odd + first, c_mask, even);
    add_rows<RADIUS, 1, size>(s.even + first, c_last, even);

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
    const dim3 grid(ceil_div(width, WIDE), ceil_div(height, PAIRS_HIGH));
    pairs_kernel<RADIUS><<<grid, dim3(ACROSS, PAIRS_DOWN)>>>(d_image, width, height, border, d_out);
    return cudaGetLastError();
}

cudaError_t correlate_register(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    static decltype(&launch_pairs<6>)
        const launch[] = {launch_pairs<6>, launch_pairs<7>, launch_pairs<8>};
    if (radius < 6 || radius > MASK_MAX_RADIUS || !pairs_allowed) {
        return correlate_patches(d_image, width, height, radius, border, d_out);
    }
    return launch[radius - 6](d_image, width, height, border, d_out);
}
