/* Lab 5, as fast as we know how: notes.md, "The expert", says why it is written this way.
 *
 * Every kernel works on groups of four neighbouring pixels, and is compiled for each radius. In the
 * row pass the lanes of a warp exchange their groups through shared memory; in the column pass a
 * thread keeps eight groups of sums, and the L1 cache is the tile. The fused kernel marches: a warp
 * owns 128 columns, copies rows to shared memory well ahead of their use, computes the row pass of
 * one row after the other, and adds each result at once to the sums of the column pass that need
 * it, which are in registers.
 */
#include "lab.h"

#include "../experts/lines.cuh"

#include <math.h>

__constant__ float c_mirrored[LINE_MAX_LENGTH]; /* the column, from its last coefficient on */

inline bool radius_allowed(int radius) {
    return radius >= 0 && radius <= MASK_MAX_RADIUS;
}

cudaError_t set_lines(const float *h_column, const float *h_row, int radius) {
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    const int length = 2 * radius + 1;
    float h_mirrored[LINE_MAX_LENGTH];
    for (int i = 0; i < length; i++) {
        h_mirrored[i] = h_column[length - 1 - i];
    }
    const size_t line_bytes = length * sizeof(float);
    cudaError_t error = cudaMemcpyToSymbol(c_mirrored, h_mirrored, line_bytes);
    if (error == cudaSuccess) {
        error = cudaMemcpyToSymbol(c_column, h_column, line_bytes);
    }
    return error != cudaSuccess ? error : cudaMemcpyToSymbol(c_row, h_row, line_bytes);
}

typedef cudaError_t launch(const float *d_image, int width, int height, enum border border,
                           float *d_out);

/* ---- part A: the row pass, one group per thread ---- */

enum { ROWS_WARPS = 4 };

/* A warp computes one row. Its lanes exchange their groups through shared memory. */
template <int RADIUS, bool ALIGNED>
__global__ void rows_kernel(const float *d_image, int width, int height, enum border border,
                            float *d_out) {
    constexpr int before = apron_groups(RADIUS);
    __shared__ float4 s_rows[ROWS_WARPS][LANES + 2 * before];
    float4 *const s_row = s_rows[threadIdx.y];
    const int lane = threadIdx.x, left = blockIdx.x * WIDE, x = left + GROUP * lane;
    const int y = blockIdx.y * ROWS_WARPS + threadIdx.y;
    const int group = lane < before ? lane : LANES + lane; /* of the apron: the first lanes' */
    const int apron_x = left + GROUP * (group - before);
    const bool edge = ALIGNED && (left == 0 || left + WIDE + GROUP * before > width);

    float4 own = load_ahead<ALIGNED>(d_image, width, height, x, y, border), apron = own;
    if (lane < 2 * before) {
        apron = load_ahead<ALIGNED>(d_image, width, height, apron_x, y, border);
    }
    if (edge) {
        own = with_border(own, x, width, border);
        apron = with_border(apron, apron_x, width, border);
    }
    s_row[before + lane] = own;
    if (lane < 2 * before) {
        s_row[group] = apron;
    }
    __syncwarp();

    float line[GROUP * (2 * before + 1)], sum[GROUP];
#pragma unroll
    for (int g = 0; g <= 2 * before; g++) {
        put(line + GROUP * g, s_row[lane + g]);
    }
    row_sums<RADIUS>(line, sum);
    if (y < height && (!ALIGNED || x < width)) {
        store_four<ALIGNED>(d_out, width, height, x, y, sum);
    }
}

template <int RADIUS>
static cudaError_t launch_rows(const float *d_image, int width, int height, enum border border,
                               float *d_out) {
    const dim3 grid(ceil_div(width, WIDE), ceil_div(height, ROWS_WARPS)), block(LANES, ROWS_WARPS);
    if (width % GROUP == 0) {
        rows_kernel<RADIUS, true><<<grid, block>>>(d_image, width, height, border, d_out);
    } else {
        rows_kernel<RADIUS, false><<<grid, block>>>(d_image, width, height, border, d_out);
    }
    return cudaGetLastError();
}

/* ---- part B: the column pass, HIGH groups per thread, one below the other ---- */

enum { HIGH = 8, COLUMNS_WARPS = 8, COLUMNS_HIGH = HIGH * COLUMNS_WARPS };

/* Adds each row that a result needs. INSIDE: all of them are in the image. */
template <int RADIUS, bool INSIDE, bool ALIGNED>
inline __device__ void add_columns(const float *d_image, int width, int height, enum border border,
                                   int x, int top, float (&sum)[HIGH][GROUP]) {
#pragma unroll
    for (int row = 0; row < HIGH + 2 * RADIUS; row++) {
        const int y = top - RADIUS + row;
        float pixels[GROUP];
        put(pixels, INSIDE ? four_pixels<true>(d_image, width, height, x, y, border)
                           : load_ahead<ALIGNED>(d_image, width, height, x, y, border));
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
#pragma unroll
            for (int j = 0; j < HIGH; j++) {
                if (row >= j && row - j <= 2 * RADIUS) {
                    sum[j][i] += pixels[i] * c_column[row - j];
                }
            }
        }
    }
}

/* Three blocks on a multiprocessor: a thread has 80 registers, and many loads under way. */
template <int RADIUS, bool ALIGNED>
__global__ void __launch_bounds__(LANES *COLUMNS_WARPS, 3)
    columns_kernel(const float *d_image, int width, int height, enum border border, float *d_out) {
    const int x = blockIdx.x * WIDE + GROUP * threadIdx.x;
    const int first = blockIdx.y * COLUMNS_HIGH, top = first + HIGH * threadIdx.y;
    if (x >= width || top >= height) {
        return;
    }
    const bool inside = ALIGNED && first >= RADIUS && first + COLUMNS_HIGH + RADIUS <= height;
    float sum[HIGH][GROUP] = {};
    if (inside) {
        add_columns<RADIUS, true, true>(d_image, width, height, border, x, top, sum);
    } else {
        add_columns<RADIUS, false, ALIGNED>(d_image, width, height, border, x, top, sum);
    }
#pragma unroll
    for (int j = 0; j < HIGH; j++) {
        if (inside || top + j < height) {
            store_four<ALIGNED>(d_out, width, height, x, top + j, sum[j]);
        }
    }
}

template <int RADIUS>
static cudaError_t launch_columns(const float *d_image, int width, int height, enum border border,
                                  float *d_out) {
    const dim3 grid(ceil_div(width, WIDE), ceil_div(height, COLUMNS_HIGH));
    const dim3 block(LANES, COLUMNS_WARPS);
    if (width % GROUP == 0) {
        columns_kernel<RADIUS, true><<<grid, block>>>(d_image, width, height, border, d_out);
    } else {
        columns_kernel<RADIUS, false><<<grid, block>>>(d_image, width, height, border, d_out);
    }
    return cudaGetLastError();
}

/* ---- part B, on the host ---- */

enum separation separate(const float *h_mask, int radius, float *h_column, float *h_row,
                         struct contradiction *why) {
    const int size = 2 * radius + 1;
    int p = 0, q = 0; /* counted from 0 here, from -radius in `why` */
    for (int i = 0; i < size * size; i++) {
        if (fabsf(h_mask[i]) > fabsf(h_mask[q * size + p])) {
            p = i % size, q = i / size;
        }
    }
    const double largest = h_mask[q * size + p];
    for (int i = 0; i < size; i++) {
        h_column[i] = h_mask[i * size + p];
        h_row[i] = largest == 0.0 ? 0.0f : (float)(h_mask[q * size + i] / largest);
    }
    for (int b = 0; b < size; b++) {
        for (int a = 0; a < size; a++) {
            const double here = h_mask[b * size + a] * largest;
            const double there = (double)h_mask[b * size + p] * h_mask[q * size + a];
            if (fabs(here - there) > SEPARABLE_TOLERANCE * fabs(here)) {
                *why = {a - radius, b - radius, p - radius, q - radius};
                return NOT_SEPARABLE;
            }
        }
    }
    return SEPARABLE;
}

/* ---- part C: the march ---- */

/* A warp has a ring of STAGES rows in shared memory: it uses one row while the others are on their
 * way. BLOCKS of WARPS warps are on a multiprocessor. */
enum { STAGES = 10, WARPS = 4, BLOCKS = 3 };

/* How the groups of a warp are copied to shared memory.
 *
 * WHOLE:   16 bytes at a time. A group is in the image, or outside and 0.
 * NEAREST: likewise, but a group outside is four times the nearest pixel.
 * SINGLE:  pixel by pixel, because the rows do not begin at multiples of 16 bytes. */
enum copying { WHOLE, NEAREST, SINGLE };

/* Copies COUNT pixels to shared memory, or zeros where they do not exist. It does not wait for
 * them, and they need no registers on their way. The simulator knows no such copies. */
template <int COUNT> /* 1 or GROUP */
inline __device__ void copy_async(float *s_to, const float *d_from, bool exist) {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(s_to)), "l"(d_from),
                   "n"(COUNT * sizeof(float)), "r"(exist ? COUNT * (int)sizeof(float) : 0)
                 : "memory");
#else
    if (COUNT == GROUP) {
        *(float4 *)s_to = exist ? *(const float4 *)d_from : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    } else {
        *s_to = exist ? *d_from : 0.0f;
    }
#endif
}

/* Ends a row: the copies of this thread since the row before belong to it. */
inline __device__ void end_row() {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}

/* Waits for the copies of this thread, but not for those of the last LATER rows. */
template <int LATER> inline __device__ void wait_for_row() {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.wait_group %0;" : : "n"(LATER) : "memory");
#endif
}

/* Copies pixels x .. x+3 of row y to shared memory. */
template <enum copying COPYING>
inline __device__ void copy_four(float4 *s_to, const float *d_image, int width, int height, int x,
                                 int y, enum border border) {
    const bool replicate = border == BORDER_REPLICATE;
    const bool row_exists = replicate || (unsigned)y < (unsigned)height;
    const float *const d_row = d_image + (size_t)clamp(y, 0, height - 1) * width;
    const bool inside = (unsigned)x < (unsigned)width;
    if (COPYING == WHOLE || (COPYING == NEAREST && inside)) {
        copy_async<GROUP>(&s_to->x, d_row + clamp(x, 0, width - GROUP), row_exists && inside);
        return;
    }
#pragma unroll
    for (int i = 0; i < GROUP; i++) {
        const int column = COPYING == NEAREST ? x : x + i, nearest = clamp(column, 0, width - 1);
        copy_async<1>(&s_to->x + i, d_row + nearest,
                      row_exists && (replicate || nearest == column));
    }
}

/* The column pass: adds a row of the row pass to the sums that need it, sum[j] with coefficient j.
 * sum[0] is complete then and goes to `done`, the others move up. */
template <int RADIUS>
inline __device__ void add_row(float (&sum)[2 * RADIUS + 1][GROUP], const float *row,
                               const float *c_line, float *done) {
#pragma unroll
    for (int j = 0; j <= 2 * RADIUS; j++) {
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            const float before = j < 2 * RADIUS ? sum[j][i] : 0.0f;
            (j == 0 ? done : sum[j == 0 ? 0 : j - 1])[i] = before + row[i] * c_line[j];
        }
    }
}

/* The rows that a warp reads: `count` rows, from `first` on, upwards (step is -1) or downwards. */
struct section {
    int first, step, count;
};

/* s_ring has STAGES rows of LANES groups and their apron. */
template <int RADIUS, enum copying COPYING>
inline __device__ void march(const float *d_image, int width, int height, enum border border,
                             int left, struct section section, float4 *s_ring, float *d_out) {
    constexpr int before = apron_groups(RADIUS), in_row = LANES + 2 * before;
    const int lane = threadIdx.x % LANES, x = left + GROUP * lane;
    /* The first lanes copy a group of the apron each, too, on the left or on the right. */
    const bool has_apron = lane < 2 * before;
    const int group = lane < before ? lane : LANES + lane;
    const int apron_x = left + GROUP * (group - before);
    float4 *const s_line = s_ring + lane, *const s_own = s_line + before;
    float4 *const s_apron = s_ring + group;
    const float *const c_line = section.step > 0 ? c_mirrored : c_column;

    const auto load = [&](int slot, int y) {
        copy_four<COPYING>(s_own + slot, d_image, width, height, x, y, border);
        if (has_apron) {
            copy_four<COPYING>(s_apron + slot, d_image, width, height, apron_x, y, border);
        }
        end_row();
    };
    constexpr int last = (STAGES - 1) * in_row;
    int next = section.first;
#pragma unroll 1
    for (int slot = 0; slot < last; slot += in_row, next += section.step) {
        load(slot, next);
    }

    float sum[2 * RADIUS + 1][GROUP] = {};
    int slot = 0, free_slot = last;
    int y = section.first - section.step * RADIUS; /* of the result that a row completes */
#pragma unroll 1
    for (int n = 0; n < section.count; n++, y += section.step, next += section.step) {
        wait_for_row<STAGES - 2>();
        __syncwarp(); /* the row is complete, and no lane reads the one before it any more */
        load(free_slot, next); /* also after the last row: a test here costs more */

        float line[GROUP * (2 * before + 1)], row[GROUP], done[GROUP];
#pragma unroll
        for (int g = 0; g <= 2 * before; g++) {
            put(line + GROUP * g, s_line[slot + g]);
        }
        row_sums<RADIUS>(line, row);
        add_row<RADIUS>(sum, row, c_line, done);
        if (n >= 2 * RADIUS && (COPYING == SINGLE || x < width)) {
            store_four<COPYING != SINGLE>(d_out, width, height, x, y, done);
        }
        free_slot = slot;
        slot = slot == last ? 0 : slot + in_row;
    }
    wait_for_row<0>(); /* no copy may be under way when the warp ends */
}

/* Sections march downwards and upwards in turn. So two neighbours begin at their common edge, or
 * both end there: the rows that both need are read from global memory at the same time, and the
 * second time from the L2 cache. */
template <int RADIUS>
__global__ void __launch_bounds__(LANES *WARPS, BLOCKS)
    fused_kernel(const float *d_image, int width, int height, enum border border, int rows,
                 float *d_out) {
    constexpr int before = apron_groups(RADIUS);
    __shared__ float4 s_rings[WARPS][STAGES * (LANES + 2 * before)];
    const int warp = threadIdx.x / LANES, left = (blockIdx.x * WARPS + warp) * WIDE;
    const int top = blockIdx.y * rows, bottom = min(top + rows, height);
    const bool down = blockIdx.y % 2 == 0;
    const struct section section = {down ? top - RADIUS : bottom - 1 + RADIUS, down ? 1 : -1,
                                    bottom - top + 2 * RADIUS};
    const bool edge = left == 0 || left + WIDE + GROUP * before > width;
    float4 *const s_ring = s_rings[warp];
    if (left >= width) {
        return;
    }
    if (width % GROUP != 0) {
        march<RADIUS, SINGLE>(d_image, width, height, border, left, section, s_ring, d_out);
    } else if (edge && border == BORDER_REPLICATE) {
        march<RADIUS, NEAREST>(d_image, width, height, border, left, section, s_ring, d_out);
    } else {
        march<RADIUS, WHOLE>(d_image, width, height, border, left, section, s_ring, d_out);
    }
}

/* As many sections as give each multiprocessor of the device BLOCKS blocks: all of them run at
 * once, and end at once. A short image has shorter sections, but none below 2 * MASK_MAX_RADIUS
 * rows, which would be read too often. */
static cudaError_t section_rows(int width, int height, int *rows) {
    int device, processors;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    }
    if (error == cudaSuccess) {
        const int sections = max(processors * BLOCKS / (int)ceil_div(width, WIDE * WARPS), 1);
        *rows = max((int)ceil_div(height, sections), 2 * MASK_MAX_RADIUS);
    }
    return error;
}

template <int RADIUS>
static cudaError_t launch_fused(const float *d_image, int width, int height, enum border border,
                                float *d_out) {
    int rows;
    const cudaError_t error = section_rows(width, height, &rows);
    if (error != cudaSuccess) {
        return error;
    }
    const dim3 grid(ceil_div(width, WIDE * WARPS), ceil_div(height, rows)), block(LANES * WARPS);
    fused_kernel<RADIUS><<<grid, block>>>(d_image, width, height, border, rows, d_out);
    return cudaGetLastError();
}

/* ---- a kernel for each radius ---- */

cudaError_t correlate_rows(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    static launch *const kernels[] = {launch_rows<0>, launch_rows<1>, launch_rows<2>,
                                      launch_rows<3>, launch_rows<4>, launch_rows<5>,
                                      launch_rows<6>, launch_rows<7>, launch_rows<8>};
    return radius_allowed(radius) ? kernels[radius](d_image, width, height, border, d_out)
                                  : cudaErrorInvalidValue;
}

cudaError_t correlate_columns(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_out) {
    static launch *const kernels[] = {launch_columns<0>, launch_columns<1>, launch_columns<2>,
                                      launch_columns<3>, launch_columns<4>, launch_columns<5>,
                                      launch_columns<6>, launch_columns<7>, launch_columns<8>};
    return radius_allowed(radius) ? kernels[radius](d_image, width, height, border, d_out)
                                  : cudaErrorInvalidValue;
}

cudaError_t correlate_fused(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_out) {
    static launch *const kernels[] = {launch_fused<0>, launch_fused<1>, launch_fused<2>,
                                      launch_fused<3>, launch_fused<4>, launch_fused<5>,
                                      launch_fused<6>, launch_fused<7>, launch_fused<8>};
    return radius_allowed(radius) ? kernels[radius](d_image, width, height, border, d_out)
                                  : cudaErrorInvalidValue;
}

cudaError_t correlate_separable(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_between, float *d_out) {
    const cudaError_t error = correlate_rows(d_image, width, height, radius, border, d_between);
    return error != cudaSuccess
               ? error
               : correlate_columns(d_between, width, height, radius, border, d_out);
}
