/* Lab 5 with a faster part C: its kernel marches. A warp owns 128 columns, copies rows to shared
 * memory well ahead of their use, computes the row pass of one row after the other, and adds each
 * result at once to the sums of the column pass that need it, which are in registers. All else is
 * separable.cu. notes.md, "The expert", says why it is written this way. */
#include "lab.h"

#define set_lines set_centred_lines
#define correlate_fused correlate_tiles
#include "separable.cu"
#undef set_lines
#undef correlate_fused

__constant__ float c_mirrored[LINE_MAX_LENGTH]; /* c_column, from its last coefficient on */

cudaError_t set_lines(const float *h_column, const float *h_row, int radius) {
    const cudaError_t error = set_centred_lines(h_column, h_row, radius);
    if (error != cudaSuccess) {
        return error;
    }
    float h_mirrored[LINE_MAX_LENGTH] = {};
    for (int i = 0; i <= 2 * radius; i++) {
        h_mirrored[APRON - radius + i] = h_column[2 * radius - i];
    }
    return cudaMemcpyToSymbol(c_mirrored, h_mirrored, sizeof h_mirrored);
}

/* A warp has 128 columns: four neighbouring pixels for each lane. */
enum { LANES = 32, COLUMNS = GROUP * LANES };

/* How many groups hold the apron of a row on one side. */
inline constexpr __host__ __device__ int apron_groups(int radius) {
    return (radius + GROUP - 1) / GROUP;
}

inline __device__ int clamp(int value, int low, int high) {
    return min(max(value, low), high);
}

inline __device__ void put(float *to, float4 four) {
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
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

/* The row pass of a group. line[0] is the first pixel of the apron's first group. */
template <int RADIUS> inline __device__ void row_sums(const float *line, float (&sum)[GROUP]) {
    constexpr int first = GROUP * apron_groups(RADIUS) - RADIUS;
#pragma unroll
    for (int i = 0; i < GROUP; i++) {
        sum[i] = 0.0f;
    }
#pragma unroll
    for (int a = 0; a <= 2 * RADIUS; a++) {
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            sum[i] += line[first + i + a] * c_row[APRON - RADIUS + a];
        }
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
    const float *const c_line = (section.step > 0 ? c_mirrored : c_column) + APRON - RADIUS;

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
    march_kernel(const float *d_image, int width, int height, enum border border, int rows,
                 float *d_out) {
    constexpr int before = apron_groups(RADIUS);
    __shared__ float4 s_rings[WARPS][STAGES * (LANES + 2 * before)];
    const int warp = threadIdx.x / LANES, left = (blockIdx.x * WARPS + warp) * COLUMNS;
    const int top = blockIdx.y * rows, bottom = min(top + rows, height);
    const bool down = blockIdx.y % 2 == 0;
    const struct section section = {down ? top - RADIUS : bottom - 1 + RADIUS, down ? 1 : -1,
                                    bottom - top + 2 * RADIUS};
    const bool edge = left == 0 || left + COLUMNS + GROUP * before > width;
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
        const int sections = max(processors * BLOCKS / (int)ceil_div(width, COLUMNS * WARPS), 1);
        *rows = max((int)ceil_div(height, sections), 2 * MASK_MAX_RADIUS);
    }
    return error;
}

template <int RADIUS>
static cudaError_t launch_march(const float *d_image, int width, int height, enum border border,
                                float *d_out) {
    int rows;
    const cudaError_t error = section_rows(width, height, &rows);
    if (error != cudaSuccess) {
        return error;
    }
    const dim3 grid(ceil_div(width, COLUMNS * WARPS), ceil_div(height, rows)), block(LANES * WARPS);
    march_kernel<RADIUS><<<grid, block>>>(d_image, width, height, border, rows, d_out);
    return cudaGetLastError();
}

cudaError_t correlate_fused(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_out) {
    static decltype(&launch_march<0>) const launch[] = {
        launch_march<0>, launch_march<1>, launch_march<2>, launch_march<3>, launch_march<4>,
        launch_march<5>, launch_march<6>, launch_march<7>, launch_march<8>};
    return radius >= 0 && radius <= MASK_MAX_RADIUS
               ? launch[radius](d_image, width, height, border, d_out)
               : cudaErrorInvalidValue;
}
