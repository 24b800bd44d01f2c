/* Lab 6, as fast as we know how: notes.md, "The expert", says why it is written this way.
 *
 * All three filters are a march: a warp owns 128 columns, computes the row pass of one row after
 * the other, and adds each result at once to the sums of the column pass that need it, which are in
 * registers. So nothing goes to d_between. A row reaches the lanes through shared memory; part C
 * loads and stores it by float4, parts A and B by floats, 32 neighbours at a time.
 */
#include "lab.h"

#include "../experts/lines.cuh"

inline bool radius_allowed(int radius) {
    return radius >= 0 && radius <= MASK_MAX_RADIUS;
}

cudaError_t set_lines(const float *h_column, const float *h_row, int radius) {
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    const size_t bytes = (2 * (size_t)radius + 1) * sizeof(float);
    const cudaError_t error = cudaMemcpyToSymbol(c_column, h_column, bytes);
    return error != cudaSuccess ? error : cudaMemcpyToSymbol(c_row, h_row, bytes);
}

typedef cudaError_t launch(const float *d_image, int width, int height, enum border border,
                           float *d_out);

/* ---- part C: the march ---- */

/* What a lane loads of a row: its own group, and the first lanes a group of the apron each. */
struct share {
    float4 own, apron;
};

/* A warp loads AHEAD rows before it needs them; AHEAD is even, because rows alternate between two
 * buffers. BLOCKS of WARPS warps are on a multiprocessor: a thread has 168 registers. */
enum { AHEAD = 6, WARPS = 4, BLOCKS = 3 };

/* The column pass: adds a row of the row pass to the sums that need it. sum[j] belongs to result
 * row y - RADIUS + j; the sum of row y - RADIUS is complete and goes to `done`, the others move up.
 */
template <int RADIUS>
inline __device__ void add_row(float (&sum)[2 * RADIUS + 1][GROUP], const float *row, float *done) {
#pragma unroll
    for (int i = 0; i < GROUP; i++) {
        done[i] = sum[0][i] + row[i] * c_column[2 * RADIUS];
    }
#pragma unroll
    for (int j = 1; j <= 2 * RADIUS; j++) {
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            sum[j - 1][i] = sum[j][i] + row[i] * c_column[2 * RADIUS - j];
        }
    }
}

template <int RADIUS, bool ALIGNED>
__global__ void __launch_bounds__(LANES *WARPS, BLOCKS)
    march_kernel(const float *d_image, int width, int height, enum border border, int rows,
                 float *d_out) {
    constexpr int before = apron_groups(RADIUS);
    __shared__ float4 s_rows[WARPS][2][LANES + 2 * before];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const int left = (blockIdx.x * WARPS + warp) * WIDE, x = left + GROUP * lane;
    const int top = blockIdx.y * rows, bottom = min(top + rows, height);
    const int group = lane < before ? lane : LANES + lane; /* of the apron: the first lanes' */
    const int apron_x = left + GROUP * (group - before);
    const bool has_apron = lane < 2 * before;
    const bool edge = ALIGNED && (left == 0 || left + WIDE + GROUP * before > width);
    if (left >= width) {
        return;
    }
    struct share share[AHEAD] = {};
    float sum[2 * RADIUS + 1][GROUP] = {};
    const auto load = [&](int k, int y) {
        share[k].own = load_ahead<ALIGNED>(d_image, width, height, x, y, border);
        if (has_apron) {
            share[k].apron = load_ahead<ALIGNED>(d_image, width, height, apron_x, y, border);
        }
    };
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
        load(k, top - RADIUS + k);
    }
#pragma unroll 1
    for (int first = top - RADIUS; first < bottom + RADIUS; first += AHEAD) {
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const int y = first + k;
            float4 *const s_row = s_rows[warp][k % 2];
            if (edge) {
                share[k].own = with_border(share[k].own, x, width, border);
                share[k].apron = with_border(share[k].apron, apron_x, width, border);
            }
            s_row[before + lane] = share[k].own;
            if (has_apron) {
                s_row[group] = share[k].apron;
            }
            __syncwarp();
            load(k, y + AHEAD);

            float line[GROUP * (2 * before + 1)], row[GROUP], done[GROUP];
#pragma unroll
            for (int g = 0; g <= 2 * before; g++) {
                put(line + GROUP * g, s_row[lane + g]);
            }
            row_sums<RADIUS>(line, row);
            add_row<RADIUS>(sum, row, done);
            if (y - RADIUS >= top && y < bottom + RADIUS && (!ALIGNED || x < width)) {
                store_four<ALIGNED>(d_out, width, height, x, y - RADIUS, done);
            }
        }
    }
}

/* ---- parts A and B: a row by floats ---- */

/* Lane `lane` has the pixels lane, lane + 32, lane + 64 and lane + 96 of a warp's columns, and the
 * first lanes have one of the apron each. */
struct floats {
    float own[GROUP], apron;
};

enum { FLOATS_AHEAD = 4, FLOATS_BLOCKS = 12 }; /* AHEAD is even: rows alternate between buffers */

/* Loads pixel x of row y, or the nearest one; with_border() repairs it when it is used. */
inline __device__ float load_float(const float *d_image, int width, int height, int x, int y,
                                   enum border border) {
    if (border == BORDER_ZERO && (y < 0 || y >= height)) {
        return 0.0f;
    }
    return d_image[(size_t)clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)];
}

inline __device__ float with_border(float value, int x, int width, enum border border) {
    return border == BORDER_ZERO && (x < 0 || x >= width) ? 0.0f : value;
}

/* As march_kernel, for blocks of one warp. */
template <int RADIUS>
__global__ void __launch_bounds__(LANES, FLOATS_BLOCKS)
    floats_kernel(const float *d_image, int width, int height, enum border border, int rows,
                  float *d_out) {
    constexpr int before = apron_groups(RADIUS), apron = GROUP * before;
    __shared__ __align__(16) float s_rows[2][WIDE + 2 * apron];
    __shared__ __align__(16) float s_done[2][WIDE];
    const int lane = threadIdx.x, left = blockIdx.x * WIDE;
    const int top = blockIdx.y * rows, bottom = min(top + rows, height);
    const int apron_at = lane < apron ? lane : WIDE + lane;
    const int apron_x = left - apron + apron_at;
    const bool has_apron = lane < 2 * apron;
    const bool edge = left < apron || left + WIDE + apron > width;
    struct floats share[FLOATS_AHEAD] = {};
    float sum[2 * RADIUS + 1][GROUP] = {};
    const auto load = [&](int k, int y) {
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            share[k].own[i] =
                load_float(d_image, width, height, left + lane + i * LANES, y, border);
        }
        if (has_apron) {
            share[k].apron = load_float(d_image, width, height, apron_x, y, border);
        }
    };
#pragma unroll
    for (int k = 0; k < FLOATS_AHEAD; k++) {
        load(k, top - RADIUS + k);
    }
#pragma unroll 1
    for (int first = top - RADIUS; first < bottom + RADIUS; first += FLOATS_AHEAD) {
#pragma unroll
        for (int k = 0; k < FLOATS_AHEAD; k++) {
            const int y = first + k;
            float *const s_row = s_rows[k % 2];
#pragma unroll
            for (int i = 0; i < GROUP; i++) {
                const int u = lane + i * LANES;
                s_row[apron + u] =
                    edge ? with_border(share[k].own[i], left + u, width, border) : share[k].own[i];
            }
            if (has_apron) {
                s_row[apron_at] = with_border(share[k].apron, apron_x, width, border);
            }
            __syncwarp();
            if (y + FLOATS_AHEAD < bottom + RADIUS) {
                load(k, y + FLOATS_AHEAD);
            }

            float line[GROUP * (2 * before + 1)], row[GROUP], done[GROUP];
#pragma unroll
            for (int g = 0; g <= 2 * before; g++) {
                put(line + GROUP * g, *(const float4 *)(s_row + GROUP * (lane + g)));
            }
            row_sums<RADIUS>(line, row);
            add_row<RADIUS>(sum, row, done);
            if (y - RADIUS < top || y >= bottom + RADIUS) {
                continue;
            }
            /* A lane has four neighbouring results, and stores every 32nd. */
            float *const s_results = s_done[k % 2];
            *(float4 *)(s_results + GROUP * lane) = make_float4(done[0], done[1], done[2], done[3]);
            __syncwarp();
#pragma unroll
            for (int u = lane; u < WIDE; u += LANES) {
                if (left + u < width) {
                    __stcs(d_out + (size_t)(y - RADIUS) * width + left + u, s_results[u]);
                }
            }
        }
    }
}

/* How many rows a section of the march has: as many sections as give each multiprocessor of the
 * device `warps` warps, which then all run at once, and end at once. With its apron, a section is a
 * multiple of `ahead` rows. A short image has shorter sections, but none below 2 * MASK_MAX_RADIUS
 * rows, which would be read too often. */
static cudaError_t section_rows(int width, int height, int radius, int warps, int ahead,
                                int *rows) {
    int device, processors;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    }
    if (error == cudaSuccess) {
        const int sections = max(processors * warps / (int)ceil_div(width, WIDE), 1);
        const int least = max((int)ceil_div(height, sections), 2 * MASK_MAX_RADIUS);
        *rows = ahead * (int)ceil_div(least + 2 * radius, ahead) - 2 * radius;
    }
    return error;
}

template <int RADIUS>
static cudaError_t launch_floats(const float *d_image, int width, int height, enum border border,
                                 float *d_out) {
    int rows;
    const cudaError_t error =
        section_rows(width, height, RADIUS, FLOATS_BLOCKS, FLOATS_AHEAD, &rows);
    if (error != cudaSuccess) {
        return error;
    }
    const dim3 grid(ceil_div(width, WIDE), ceil_div(height, rows));
    floats_kernel<RADIUS><<<grid, LANES>>>(d_image, width, height, border, rows, d_out);
    return cudaGetLastError();
}

template <int RADIUS>
static cudaError_t launch_march(const float *d_image, int width, int height, enum border border,
                                float *d_out) {
    int rows;
    const cudaError_t error = section_rows(width, height, RADIUS, BLOCKS * WARPS, AHEAD, &rows);
    if (error != cudaSuccess) {
        return error;
    }
    const dim3 grid(ceil_div(width, WIDE * WARPS), ceil_div(height, rows)), block(LANES * WARPS);
    if (width % GROUP == 0) {
        march_kernel<RADIUS, true><<<grid, block>>>(d_image, width, height, border, rows, d_out);
    } else {
        march_kernel<RADIUS, false><<<grid, block>>>(d_image, width, height, border, rows, d_out);
    }
    return cudaGetLastError();
}

/* ---- a kernel for each radius ---- */

/* Parts A and B: coalesced, aligned, and without bank conflicts. */
static cudaError_t by_floats(const float *d_image, int width, int height, int radius,
                             enum border border, float *d_out) {
    static launch *const kernels[] = {launch_floats<0>, launch_floats<1>, launch_floats<2>,
                                      launch_floats<3>, launch_floats<4>, launch_floats<5>,
                                      launch_floats<6>, launch_floats<7>, launch_floats<8>};
    return radius_allowed(radius) ? kernels[radius](d_image, width, height, border, d_out)
                                  : cudaErrorInvalidValue;
}

cudaError_t filter_coalesced(const float *d_image, int width, int height, int radius,
                             enum border border, float *d_between, float *d_out) {
    (void)d_between;
    return by_floats(d_image, width, height, radius, border, d_out);
}

cudaError_t filter_conflict_free(const float *d_image, int width, int height, int radius,
                                 enum border border, float *d_between, float *d_out) {
    (void)d_between;
    return by_floats(d_image, width, height, radius, border, d_out);
}

cudaError_t filter_vectorised(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_between, float *d_out) {
    static launch *const kernels[] = {launch_march<0>, launch_march<1>, launch_march<2>,
                                      launch_march<3>, launch_march<4>, launch_march<5>,
                                      launch_march<6>, launch_march<7>, launch_march<8>};
    (void)d_between;
    return radius_allowed(radius) ? kernels[radius](d_image, width, height, border, d_out)
                                  : cudaErrorInvalidValue;
}
