/* Kernels that no lab has, each limited by something else, and wrong turns of a filter: one block,
 * lanes down a column, conflicts in every access, no reuse. */
#include "call.h"

enum { TILE = 32, ROWS = 8, BLOCK = 256, BINS = 256 };

static dim3 tiles(int width, int height, int down) {
    return dim3((unsigned)((width + TILE - 1) / TILE), (unsigned)((height + down - 1) / down));
}

static unsigned groups(size_t count, int size) {
    return (unsigned)((count + size - 1) / size);
}

__global__ void copy_kernel(const float *in, float *out, int width, int height, int) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < width * height) {
        out[i] = in[i];
    }
}

__global__ void copy4_kernel(const float4 *in, float4 *out, int width, int height, int) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < width * height / 4) {
        out[i] = in[i];
    }
}

__global__ void strided_kernel(const float *in, float *out, int width, int height, int stride) {
    const size_t i = blockIdx.x * BLOCK + threadIdx.x, n = (size_t)width * height;
    if (i < n) {
        out[i] = in[i * stride % n];
    }
}

__global__ void transpose_naive_kernel(const float *in, float *out, int width, int height, int) {
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
    if (x < width && y < height) {
        out[(size_t)x * height + y] = in[(size_t)y * width + x];
    }
}

template <int PITCH>
__global__ void transpose_kernel(const float *in, float *out, int width, int height, int) {
    __shared__ float s_tile[TILE][PITCH];
    for (int j = threadIdx.y; j < TILE; j += ROWS) {
        s_tile[j][threadIdx.x] =
            in[(size_t)(blockIdx.y * TILE + j) * width + blockIdx.x * TILE + threadIdx.x];
    }
    __syncthreads();
    for (int j = threadIdx.y; j < TILE; j += ROWS) {
        out[(size_t)(blockIdx.x * TILE + j) * height + blockIdx.y * TILE + threadIdx.x] =
            s_tile[threadIdx.x][j];
    }
}

__global__ void sum_kernel(const float *in, float *out, int width, int height, int) {
    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < width * height; i += gridDim.x * BLOCK) {
        sum += in[i];
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, lanes);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(out, sum);
    }
}

__global__ void tree_kernel(const float *in, float *out, int width, int height, int) {
    __shared__ float s_sum[BLOCK];
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    s_sum[threadIdx.x] = i < width * height ? in[i] : 0.0f;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            s_sum[threadIdx.x] += s_sum[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = s_sum[0];
    }
}

__global__ void atomic_kernel(const float *in, float *out, int width, int height, int bins) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < width * height) {
        atomicAdd(&out[i % bins], in[i]);
    }
}

__global__ void histogram_kernel(const float *in, unsigned *out, int width, int height, int) {
    __shared__ unsigned s_bins[BINS];
    s_bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < width * height; i += gridDim.x * BLOCK) {
        atomicAdd(&s_bins[(i * 2654435761u) >> 24], (unsigned)(in[i] >= 0.0f));
    }
    __syncthreads();
    atomicAdd(&out[threadIdx.x], s_bins[threadIdx.x]);
}

__global__ void matmul_kernel(const float *in, float *out, int n, int, int) {
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        sum += in[(size_t)y * n + k] * in[(size_t)k * n + x];
    }
    out[(size_t)y * n + x] = sum;
}

__global__ void matmul_tile_kernel(const float *in, float *out, int n, int, int) {
    __shared__ float s_a[TILE][TILE], s_b[TILE][TILE];
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; k += TILE) {
        s_a[threadIdx.y][threadIdx.x] = in[(size_t)y * n + k + threadIdx.x];
        s_b[threadIdx.y][threadIdx.x] = in[(size_t)(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            sum += s_a[threadIdx.y][j] * s_b[j][threadIdx.x];
        }
        __syncthreads();
    }
    out[(size_t)y * n + x] = sum;
}

__global__ void polynomial_kernel(const float *in, float *out, int width, int height, int degree) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < width * height) {
        const float x = in[i];
        float sum = 1.0f;
        for (int k = 0; k < degree; k++) {
            sum = sum * x + 0.5f;
        }
        out[i] = sum;
    }
}

__global__ void double_kernel(const float *in, float *out, int width, int height, int degree) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < width * height) {
        const double x = in[i];
        double sum = 1.0;
        for (int k = 0; k < degree; k++) {
            sum = sum * x + 0.5;
        }
        out[i] = (float)sum;
    }
}

__global__ void special_kernel(const float *in, float *out, int width, int height, int times) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < width * height) {
        float x = in[i];
        for (int k = 0; k < times; k++) {
            x = sqrtf(x + 1.0f) / (x + 2.0f);
        }
        out[i] = x;
    }
}

__global__ void integer_kernel(const float *in, float *out, int width, int height, int times) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < width * height) {
        unsigned x = (unsigned)i + (unsigned)in[i];
        for (int k = 0; k < times; k++) {
            x = (x ^ (x >> 13)) * 1664525u + 1013904223u;
        }
        out[i] = (float)x;
    }
}

__global__ void modulo_kernel(const float *in, float *out, int width, int height, int divisor) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < width * height) {
        int at = i;
        for (int k = 0; k < 16; k++) {
            at = (at % divisor) * 3 + at / divisor;
        }
        out[i] = in[at % (width * height)];
    }
}

/* The filter's wrong turns; radius is the parameter. */
static __device__ float window(const float *in, int width, int height, int x, int y, int radius) {
    float sum = 0.0f;
    for (int b = -radius; b <= radius; b++) {
        for (int a = -radius; a <= radius; a++) {
            const int column = min(max(x + a, 0), width - 1), row = min(max(y + b, 0), height - 1);
            sum += in[(size_t)row * width + column];
        }
    }
    return sum;
}

__global__ void window_kernel(const float *in, float *out, int width, int height, int radius) {
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
    if (x < width && y < height) {
        out[(size_t)y * width + x] = window(in, width, height, x, y, radius);
    }
}

__global__ void one_block_kernel(const float *in, float *out, int width, int height, int radius) {
    for (int y = threadIdx.y; y < height; y += TILE) {
        for (int x = threadIdx.x; x < width; x += TILE) {
            out[(size_t)y * width + x] = window(in, width, height, x, y, radius);
        }
    }
}

__global__ void uncoalesced_kernel(const float *in, float *out, int width, int height, int radius) {
    const int x = blockIdx.x * ROWS + threadIdx.y, y = blockIdx.y * TILE + threadIdx.x;
    if (x < width && y < height) {
        out[(size_t)y * width + x] = window(in, width, height, x, y, radius);
    }
}

__global__ void one_thread_blocks_kernel(const float *in, float *out, int width, int height,
                                         int radius) {
    out[(size_t)blockIdx.y * width + blockIdx.x] =
        window(in, width, height, blockIdx.x, blockIdx.y, radius);
}

/* A tile without a column to spare, read down its columns: `radius` times. */
__global__ void conflicts_kernel(const float *in, float *out, int width, int height, int times) {
    __shared__ float s_tile[TILE][TILE];
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    s_tile[threadIdx.y][threadIdx.x] = in[(size_t)y * width + x];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < times; k++) {
        sum += s_tile[threadIdx.x][(threadIdx.y + k) % TILE];
    }
    out[(size_t)y * width + x] = sum;
}

/* Few threads, each with a long chain of loads that depend on each other. */
__global__ void chain_kernel(const float *in, float *out, int width, int height, int steps) {
    int at = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < steps; k++) {
        const float value = in[at];
        sum += value;
        at = (at + 4099 + (value > 2.0f)) % (width * height);
    }
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}

static struct need plane(const struct call *call) {
    const size_t bytes = (size_t)call->a * call->b * sizeof(float);
    const struct need need = {bytes, 0, bytes, 0, FLOATS};
    return need;
}

#define GENERAL(NAME, KERNEL, GRID, THREADS, T)                                                    \
    static cudaError_t NAME##_launch(const struct call *c) {                                       \
        KERNEL<<<GRID, THREADS>>>((const T *)c->d_in, (T *)c->d_out, c->a, c->b, c->c);            \
        return cudaGetLastError();                                                                 \
    }
#define LINEAR groups((size_t)c->a * c->b, BLOCK)
GENERAL(copy, copy_kernel, LINEAR, BLOCK, float)
GENERAL(copy4, copy4_kernel, groups((size_t)c->a * c->b / 4, BLOCK), BLOCK, float4)
GENERAL(strided, strided_kernel, LINEAR, BLOCK, float)
GENERAL(transpose_naive, transpose_naive_kernel, tiles(c->a, c->b, ROWS), dim3(TILE, ROWS), float)
GENERAL(transpose_conflicts, transpose_kernel<TILE>, tiles(c->a, c->b, TILE), dim3(TILE, ROWS),
        float)
GENERAL(transpose_padded, transpose_kernel<TILE + 1>, tiles(c->a, c->b, TILE), dim3(TILE, ROWS),
        float)
GENERAL(sum, sum_kernel, 1056, BLOCK, float)
GENERAL(tree, tree_kernel, LINEAR, BLOCK, float)
GENERAL(atomics, atomic_kernel, LINEAR, BLOCK, float)
GENERAL(matmul, matmul_kernel, tiles(c->a, c->a, ROWS), dim3(TILE, ROWS), float)
GENERAL(matmul_tile, matmul_tile_kernel, tiles(c->a, c->a, TILE), dim3(TILE, TILE), float)
GENERAL(polynomial, polynomial_kernel, LINEAR, BLOCK, float)
GENERAL(doubles, double_kernel, LINEAR, BLOCK, float)
GENERAL(special, special_kernel, LINEAR, BLOCK, float)
GENERAL(integers, integer_kernel, LINEAR, BLOCK, float)
GENERAL(modulo, modulo_kernel, LINEAR, BLOCK, float)
GENERAL(window_of, window_kernel, tiles(c->a, c->b, ROWS), dim3(TILE, ROWS), float)
GENERAL(one_block, one_block_kernel, 1, dim3(TILE, TILE), float)
GENERAL(uncoalesced, uncoalesced_kernel,
        dim3(groups((size_t)c->a, ROWS), groups((size_t)c->b, TILE)), dim3(TILE, ROWS), float)
GENERAL(one_thread_blocks, one_thread_blocks_kernel, dim3((unsigned)c->a, (unsigned)c->b), 1, float)
GENERAL(conflicts, conflicts_kernel, tiles(c->a, c->b, TILE), dim3(TILE, TILE), float)
GENERAL(chain, chain_kernel, 132, 32, float)

static cudaError_t histogram_launch(const struct call *c) {
    histogram_kernel<<<1056, BLOCK>>>((const float *)c->d_in, (unsigned *)c->d_out, c->a, c->b,
                                      c->c);
    return cudaGetLastError();
}

#define ENTRY(NAME) {#NAME, plane, NULL, NAME##_launch}
extern "C" const struct function call_functions[] = {
    ENTRY(copy), ENTRY(copy4), ENTRY(strided), ENTRY(transpose_naive), ENTRY(transpose_conflicts),
    ENTRY(transpose_padded), ENTRY(sum), ENTRY(tree), ENTRY(atomics), ENTRY(histogram),
    ENTRY(matmul), ENTRY(matmul_tile), ENTRY(polynomial), ENTRY(doubles), ENTRY(special),
    ENTRY(integers), ENTRY(modulo), ENTRY(window_of), ENTRY(one_block), ENTRY(uncoalesced),
    ENTRY(one_thread_blocks), ENTRY(conflicts), ENTRY(chain), {NULL}};
