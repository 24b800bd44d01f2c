/* Kernels that were written after the last fit, to see how far the predictions hold for code that
 * nobody tuned them to. What stands before __ in a name is the task: functions of one task compute
 * the same and are compared with each other. */
#include "call.h"

#include <stdlib.h>

enum { BLOCK = 256, BINS = 256, WARP = 32 };
#define ALL_LANES 0xffffffffu

static unsigned groups(size_t count, size_t size) {
    return (unsigned)((count + size - 1) / size);
}

/* ---- matrix products: a and b are the same n x n matrix ---- */

/* A block of 32 x 8 threads computes 32 x 32 elements: four rows a thread. */
__global__ void matmul_strip_kernel(const float *in, float *out, int n, int, int) {
    __shared__ float s_a[32][32], s_b[32][32];
    const int x = blockIdx.x * 32 + threadIdx.x, top = blockIdx.y * 32;
    float sum[4] = {};
    for (int k = 0; k < n; k += 32) {
        for (int j = threadIdx.y; j < 32; j += 8) {
            s_a[j][threadIdx.x] = in[(size_t)(top + j) * n + k + threadIdx.x];
            s_b[j][threadIdx.x] = in[(size_t)(k + j) * n + x];
        }
        __syncthreads();
#pragma unroll
        for (int t = 0; t < 32; t++) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                sum[i] += s_a[threadIdx.y + 8 * i][t] * s_b[t][threadIdx.x];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        out[(size_t)(top + threadIdx.y + 8 * i) * n + x] = sum[i];
    }
}

/* 16 x 16 threads, 4 x 4 elements each, 64 x 64 a block; b is loaded as float4. */
template <int DEEP>
__global__ void matmul_patch_kernel(const float *in, float *out, int n, int, int) {
    __shared__ __align__(16) float s_a[DEEP][64 + 4], s_b[DEEP][64];
    const int thread = threadIdx.y * 16 + threadIdx.x, top = blockIdx.y * 64,
              left = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += DEEP) {
        for (int i = thread; i < DEEP * 64; i += BLOCK) {
            s_a[i % DEEP][i / DEEP] = in[(size_t)(top + i / DEEP) * n + k + i % DEEP];
        }
        for (int i = thread; i < DEEP * 16; i += BLOCK) {
            *(float4 *)&s_b[i / 16][i % 16 * 4] =
                *(const float4 *)&in[(size_t)(k + i / 16) * n + left + i % 16 * 4];
        }
        __syncthreads();
#pragma unroll
        for (int t = 0; t < DEEP; t++) {
            const float4 a = *(const float4 *)&s_a[t][4 * threadIdx.y];
            const float4 b = *(const float4 *)&s_b[t][4 * threadIdx.x];
            const float as[4] = {a.x, a.y, a.z, a.w}, bs[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < 16; i++) {
                sum[i / 4][i % 4] += as[i / 4] * bs[i % 4];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 16; i++) {
        out[(size_t)(top + 4 * threadIdx.y + i / 4) * n + left + 4 * threadIdx.x + i % 4] =
            sum[i / 4][i % 4];
    }
}

/* 16 x 16 tiles in two buffers: one barrier a step. */
__global__ void matmul_buffers_kernel(const float *in, float *out, int n, int, int) {
    __shared__ float s_a[2][16][16], s_b[2][16][16];
    const int u = threadIdx.x, v = threadIdx.y, x = blockIdx.x * 16 + u, y = blockIdx.y * 16 + v;
    float sum = 0.0f, a = in[(size_t)y * n + u], b = in[(size_t)v * n + x];
    for (int k = 16, now = 0; k <= n; k += 16, now ^= 1) {
        s_a[now][v][u] = a, s_b[now][v][u] = b;
        __syncthreads();
        if (k < n) {
            a = in[(size_t)y * n + k + u], b = in[(size_t)(k + v) * n + x];
        }
        for (int t = 0; t < 16; t++) {
            sum += s_a[now][v][t] * s_b[now][t][u];
        }
    }
    out[(size_t)y * n + x] = sum;
}

/* No shared memory: 4 x 2 elements a thread, whose loads other lanes repeat. */
__global__ void matmul_cached_kernel(const float *in, float *out, int n, int, int) {
    const int x = blockIdx.x * 64 + threadIdx.x, y = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
    float sum[4][2] = {};
    for (int k = 0; k < n; k++) {
        const float *row = &in[(size_t)k * n + x];
        for (int i = 0; i < 4; i++) {
            const float a = in[(size_t)(y + i) * n + k];
            sum[i][0] += a * row[0], sum[i][1] += a * row[32];
        }
    }
    for (int i = 0; i < 4; i++) {
        out[(size_t)(y + i) * n + x] = sum[i][0], out[(size_t)(y + i) * n + x + 32] = sum[i][1];
    }
}

/* ---- sums and scans ---- */

__device__ __noinline__ float sum_of_block(float *s_sum, float mine) {
    s_sum[threadIdx.x] = mine;
    __syncthreads();
    for (int half = 1; half < blockDim.x; half *= 2) { /* neighbours first: lanes diverge */
        if (threadIdx.x % (2 * half) == 0) {
            s_sum[threadIdx.x] += s_sum[threadIdx.x + half];
        }
        __syncthreads();
    }
    return s_sum[0];
}

__global__ void sum_called_kernel(const float *in, float *out, int width, int height, int) {
    __shared__ float s_sum[128];
    float sum = 0.0f;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < width * height; i += gridDim.x * 128) {
        sum += in[i];
    }
    sum = sum_of_block(s_sum, sum);
    if (threadIdx.x == 0) {
        atomicAdd(out, sum);
    }
}

__global__ void sum_vector_kernel(const float *in, float *out, int width, int height, int) {
    const float4 *const fours = (const float4 *)in;
    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < width * height / 4; i += gridDim.x * BLOCK) {
        const float4 four = fours[i];
        sum += four.x + four.y + (four.z + four.w);
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, lanes);
    }
    if (threadIdx.x % WARP == 0) {
        atomicAdd(out, sum);
    }
}

/* Every block scans its own 256 elements: eight steps of two barriers. */
__global__ void scan_steps_kernel(const float *in, float *out, int width, int height, int) {
    __shared__ float s_sum[BLOCK];
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    s_sum[threadIdx.x] = in[i];
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        const float before = threadIdx.x >= step ? s_sum[threadIdx.x - step] : 0.0f;
        __syncthreads();
        s_sum[threadIdx.x] += before;
        __syncthreads();
    }
    out[i] = s_sum[threadIdx.x];
}

__global__ void scan_warps_kernel(const float *in, float *out, int width, int height, int) {
    __shared__ float s_warp[BLOCK / WARP];
    const int i = blockIdx.x * BLOCK + threadIdx.x, lane = threadIdx.x % WARP;
    float sum = in[i];
    for (int step = 1; step < WARP; step *= 2) {
        const float before = __shfl_up_sync(ALL_LANES, sum, step);
        sum += lane >= step ? before : 0.0f;
    }
    if (lane == WARP - 1) {
        s_warp[threadIdx.x / WARP] = sum;
    }
    __syncthreads();
    for (int w = 0; w < threadIdx.x / WARP; w++) {
        sum += s_warp[w];
    }
    out[i] = sum;
}

/* ---- histograms of what is loaded ---- */

template <int TABLES>
__global__ void histogram_kernel(const float *in, float *out, int width, int height, int) {
    __shared__ unsigned s_bins[TABLES * BINS];
    for (int i = threadIdx.x; i < TABLES * BINS; i += BLOCK) {
        s_bins[i] = 0;
    }
    __syncthreads();
    unsigned *const s_mine = s_bins + threadIdx.x / WARP % TABLES * BINS;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < width * height; i += gridDim.x * BLOCK) {
        atomicAdd(&s_mine[(int)(in[i] * BINS)], 1);
    }
    __syncthreads();
    unsigned count = 0;
    for (int t = 0; t < TABLES; t++) {
        count += s_bins[t * BINS + threadIdx.x];
    }
    atomicAdd((unsigned *)out + threadIdx.x, count);
}

/* ---- transposes: tiles of 16 x 16, and whole strips by one warp ---- */

template <int PITCH>
__global__ void transpose_kernel(const float *in, float *out, int width, int height, int) {
    __shared__ float s_tile[16][PITCH];
    const int x = blockIdx.x * 16, y = blockIdx.y * 16, u = threadIdx.x, v = threadIdx.y;
    s_tile[v][u] = in[(size_t)(y + v) * width + x + u];
    __syncthreads();
    out[(size_t)(x + v) * height + y + u] = s_tile[u][v];
}

__global__ void transpose_warp_kernel(const float *in, float *out, int width, int height, int) {
    __shared__ float s_tile[32][33];
    const int x = blockIdx.x * 32, y = blockIdx.y * 32, lane = threadIdx.x;
    for (int v = 0; v < 32; v++) {
        s_tile[v][lane] = in[(size_t)(y + v) * width + x + lane];
    }
    __syncwarp();
    for (int v = 0; v < 32; v++) {
        out[(size_t)(x + v) * height + y + lane] = s_tile[lane][v];
    }
}

/* ---- stencils: c steps in a tile; a volume of c planes ---- */

__global__ void stencil_global_kernel(const float *in, float *out, int width, int height, int) {
    const int x = blockIdx.x * 96 + threadIdx.x, y = blockIdx.y;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        const float *at = in + (size_t)y * width + x;
        out[(size_t)y * width + x] =
            0.5f * at[0] + 0.125f * (at[-1] + at[1] + at[-width] + at[width]);
    }
}

/* A thread goes down 64 rows and keeps three of them. */
__global__ void stencil_down_kernel(const float *in, float *out, int width, int height, int) {
    const int x = blockIdx.x * 64 + threadIdx.x, top = blockIdx.y * 64;
    if (x == 0 || x >= width - 1) {
        return;
    }
    const float *at = in + (size_t)top * width + x;
    float above = top > 0 ? at[-width] : 0.0f, here = at[0];
    for (int y = top; y < top + 64 && y < height - 1; y++, at += width) {
        const float below = at[width];
        if (y > 0) {
            out[(size_t)y * width + x] = 0.5f * here + 0.125f * (at[-1] + at[1] + above + below);
        }
        above = here, here = below;
    }
}

/* 16 x 16 threads relax their tile c times: two barriers each time. */
__global__ void relax_kernel(const float *in, float *out, int width, int height, int times) {
    __shared__ float s_tile[16][16];
    const int u = threadIdx.x, v = threadIdx.y;
    const size_t at = (size_t)(blockIdx.y * 16 + v) * width + blockIdx.x * 16 + u;
    s_tile[v][u] = in[at];
    __syncthreads();
    for (int k = 0; k < times; k++) {
        const float next = 0.25f * (s_tile[v][(u + 1) % 16] + s_tile[v][(u + 15) % 16] +
                                    s_tile[(v + 1) % 16][u] + s_tile[(v + 15) % 16][u]);
        __syncthreads();
        s_tile[v][u] = next;
        __syncthreads();
    }
    out[at] = s_tile[v][u];
}

/* ---- ifs and loops that depend on data; values that do not fit in registers ---- */

__global__ void branches_kernel(const float *in, float *out, int width, int height, int times) {
    const int i = blockIdx.x * 192 + threadIdx.x;
    if (i >= width * height) {
        return;
    }
    float x = in[i];
    if (x < 0.25f) {
        for (int k = 0; k < times; k++) {
            x = x * x + 0.125f;
        }
    } else if (x < 0.5f) {
        for (int k = 0; k < times / 2; k++) {
            x = sqrtf(x + 0.5f);
        }
    }
    out[i] = x;
}

__global__ void escape_kernel(const float *, float *out, int width, int height, int most) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    const float re = 3.0f * x / width - 2.0f, im = 2.0f * y / height - 1.0f;
    float a = 0.0f, b = 0.0f;
    int k = 0;
    while (k < most && a * a + b * b < 4.0f) {
        const float next = a * a - b * b + re;
        b = 2.0f * a * b + im, a = next, k++;
    }
    out[(size_t)y * width + x] = (float)k;
}

/* 40 elements are sorted by a thread, which has 32 registers: some are spilled. */
__global__ void __launch_bounds__(1024, 2)
    sort_kernel(const float *in, float *out, int width, int height, int) {
    const int i = blockIdx.x * 1024 + threadIdx.x, step = width * height / 40;
    float value[40];
    if (i >= step) {
        return;
    }
#pragma unroll
    for (int k = 0; k < 40; k++) {
        value[k] = in[i + k * step];
    }
#pragma unroll
    for (int round = 0; round < 40; round++) {
#pragma unroll
        for (int k = round % 2; k + 1 < 40; k += 2) {
            const float low = fminf(value[k], value[k + 1]);
            value[k + 1] = fmaxf(value[k], value[k + 1]), value[k] = low;
        }
    }
#pragma unroll
    for (int k = 0; k < 40; k++) {
        out[i + k * step] = value[k];
    }
}

/* A ring of c values (up to 64) for each thread, in local memory. */
__global__ void ring_kernel(const float *in, float *out, int width, int height, int length) {
    float ring[64] = {};
    const int x = blockIdx.x * 64 + threadIdx.x, top = blockIdx.y * 128;
    float sum = 0.0f;
    for (int y = top; y < top + 128; y++) {
        const float value = in[(size_t)y * width + x];
        sum += value - ring[y % length];
        ring[y % length] = value;
        out[(size_t)y * width + x] = sum;
    }
}

__global__ void gather_kernel(const float *in, float *out, int width, int height, int) {
    const unsigned n = (unsigned)width * height, i = blockIdx.x * 512 + threadIdx.x;
    unsigned at = i * 2654435761u;
    float sum = 0.0f;
    for (int k = 0; k < 8; k++, at = at * 1664525u + 1013904223u) {
        sum += in[(at >> 5) % n];
    }
    out[i] = sum;
}

static struct need plane(const struct call *call) {
    const size_t bytes = (size_t)call->a * call->b * sizeof(float);
    const struct need need = {bytes, 0, bytes, 0, FLOATS};
    return need;
}

/* The same values in 0..1 on every machine: what is counted depends on them. */
static cudaError_t noise(const struct call *c, const void *) {
    const size_t count = (size_t)c->a * c->b;
    float *const h_in = (float *)malloc(count * sizeof(float));
    unsigned state = 1;
    for (size_t i = 0; h_in != NULL && i < count; i++) {
        state = state * 1664525u + 1013904223u;
        h_in[i] = (float)(state >> 8) * 0x1p-24f;
    }
    const cudaError_t error =
        h_in == NULL ? cudaErrorMemoryAllocation
                     : cudaMemcpy((void *)c->d_in, h_in, count * sizeof(float), cudaMemcpyDefault);
    free(h_in);
    return error;
}

#define GENERAL(NAME, KERNEL, GRID, THREADS)                                                       \
    static cudaError_t NAME##_launch(const struct call *c) {                                       \
        KERNEL<<<GRID, THREADS>>>((const float *)c->d_in, (float *)c->d_out, c->a, c->b, c->c);    \
        return cudaGetLastError();                                                                 \
    }
#define TILES(ACROSS, DOWN) dim3(groups(c->a, ACROSS), groups(c->b, DOWN))
#define LINEAR(SIZE) groups((size_t)c->a * c->b, SIZE)
GENERAL(matmul__strip, matmul_strip_kernel, TILES(32, 32), dim3(32, 8))
GENERAL(matmul__patch8, matmul_patch_kernel<8>, TILES(64, 64), dim3(16, 16))
GENERAL(matmul__patch16, matmul_patch_kernel<16>, TILES(64, 64), dim3(16, 16))
GENERAL(matmul__buffers, matmul_buffers_kernel, TILES(16, 16), dim3(16, 16))
GENERAL(matmul__cached, matmul_cached_kernel, TILES(64, 32), dim3(32, 8))
GENERAL(sum__called, sum_called_kernel, 528, 128)
GENERAL(sum__vector, sum_vector_kernel, 60, BLOCK)
GENERAL(scan__steps, scan_steps_kernel, LINEAR(BLOCK), BLOCK)
GENERAL(scan__warps, scan_warps_kernel, LINEAR(BLOCK), BLOCK)
GENERAL(histogram__one, histogram_kernel<1>, 264, BLOCK)
GENERAL(histogram__of_warps, histogram_kernel<8>, 264, BLOCK)
GENERAL(transpose__bare, transpose_kernel<16>, TILES(16, 16), dim3(16, 16))
GENERAL(transpose__padded, transpose_kernel<17>, TILES(16, 16), dim3(16, 16))
GENERAL(transpose__warp, transpose_warp_kernel, TILES(32, 32), 32)
GENERAL(stencil__global, stencil_global_kernel, TILES(96, 1), 96)
GENERAL(stencil__down, stencil_down_kernel, TILES(64, 64), 64)
GENERAL(relax, relax_kernel, TILES(16, 16), dim3(16, 16))
GENERAL(branches, branches_kernel, LINEAR(192), 192)
GENERAL(escape, escape_kernel, TILES(32, 4), dim3(32, 4))
GENERAL(sort, sort_kernel, LINEAR(40 * 1024), 1024)
GENERAL(ring, ring_kernel, TILES(64, 128), 64)
GENERAL(gather, gather_kernel, LINEAR(512), 512)

#define ENTRY(NAME) {#NAME, plane, noise, NAME##_launch}
extern "C" const struct function call_functions[] = {ENTRY(matmul__strip),
                                                     ENTRY(matmul__patch8),
                                                     ENTRY(matmul__patch16),
                                                     ENTRY(matmul__buffers),
                                                     ENTRY(matmul__cached),
                                                     ENTRY(sum__called),
                                                     ENTRY(sum__vector),
                                                     ENTRY(scan__steps),
                                                     ENTRY(scan__warps),
                                                     ENTRY(histogram__one),
                                                     ENTRY(histogram__of_warps),
                                                     ENTRY(transpose__bare),
                                                     ENTRY(transpose__padded),
                                                     ENTRY(transpose__warp),
                                                     ENTRY(stencil__global),
                                                     ENTRY(stencil__down),
                                                     ENTRY(relax),
                                                     ENTRY(branches),
                                                     ENTRY(escape),
                                                     ENTRY(sort),
                                                     ENTRY(ring),
                                                     ENTRY(gather),
                                                     {NULL}};
