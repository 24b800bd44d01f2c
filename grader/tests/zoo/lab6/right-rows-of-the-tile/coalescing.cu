// zoo: right
//
// Tiles laid out row by row: no padding is needed. Parts A and B are one filter with blocks 64 wide.
// Part C has the radius as a template parameter, so that its loops are no longer than the lines.
#include "lab.h"

#define R MASK_MAX_RADIUS

static __constant__ float c_lines[2][LINE_MAX_LENGTH]; /* column, row */

cudaError_t set_lines(const float *h_column, const float *h_row, int radius) {
    if (radius < 0 || radius > R) {
        return cudaErrorInvalidValue;
    }
    const size_t bytes = (2 * radius + 1) * sizeof(float);
    cudaError_t error = cudaMemcpyToSymbol(c_lines, h_column, bytes);
    if (error == cudaSuccess) {
        error = cudaMemcpyToSymbol(c_lines, h_row, bytes, LINE_MAX_LENGTH * sizeof(float));
    }
    return error;
}

static __device__ float at(const float *f, int w, int h, int x, int y, bool zero) {
    if (x < 0 || y < 0 || x >= w || y >= h) {
        if (zero) {
            return 0.0f;
        }
        x = min(max(x, 0), w - 1);
        y = min(max(y, 0), h - 1);
    }
    return f[(size_t)y * w + x];
}

/* Blocks of 64 x 4 threads for 64 x 4 pixels. */
__global__ void rows64(const float *f, int w, int h, int r, bool zero, float *out) {
    __shared__ float s[4][64 + 2 * R];
    const int left = blockIdx.x * 64, y = blockIdx.y * 4 + threadIdx.y;
    float *mine = s[threadIdx.y];
    for (int u = threadIdx.x; u < 64 + 2 * R; u += 64) {
        mine[u] = at(f, w, h, left - R + u, y, zero);
    }
    __syncthreads();
    const int x = left + threadIdx.x;
    if (x < w && y < h) {
        float sum = 0;
        for (int a = -r; a <= r; a++) {
            sum += c_lines[1][a + r] * mine[threadIdx.x + R + a];
        }
        out[(size_t)y * w + x] = sum;
    }
}

/* Blocks of 64 x 4 threads for 64 x 32 pixels. */
__global__ void columns64(const float *f, int w, int h, int r, bool zero, float *out) {
    __shared__ float s[32 + 2 * R][64];
    const int x = blockIdx.x * 64 + threadIdx.x, top = blockIdx.y * 32;
    for (int v = threadIdx.y; v < 32 + 2 * r; v += 4) {
        s[v][threadIdx.x] = at(f, w, h, x, top - r + v, zero);
    }
    __syncthreads();
    for (int v = threadIdx.y; v < 32 && top + v < h && x < w; v += 4) {
        float sum = 0;
        for (int b = 0; b <= 2 * r; b++) {
            sum += c_lines[0][b] * s[v + b][threadIdx.x];
        }
        out[(size_t)(top + v) * w + x] = sum;
    }
}

cudaError_t filter_coalesced(const float *d_image, int width, int height, int radius,
                             enum border border, float *d_between, float *d_out) {
    const bool zero = border == BORDER_ZERO;
    rows64<<<dim3((width + 63) / 64, (height + 3) / 4), dim3(64, 4)>>>(d_image, width, height,
                                                                      radius, zero, d_between);
    if (const cudaError_t error = cudaGetLastError()) {
        return error;
    }
    columns64<<<dim3((width + 63) / 64, (height + 31) / 32), dim3(64, 4)>>>(
        d_between, width, height, radius, zero, d_out);
    return cudaGetLastError();
}

cudaError_t filter_conflict_free(const float *d_image, int width, int height, int radius,
                                 enum border border, float *d_between, float *d_out) {
    return filter_coalesced(d_image, width, height, radius, border, d_between, d_out);
}

/* Four pixels from x, a multiple of 4; VECTOR: the rows are multiples of four. */
template <bool VECTOR>
static __device__ float4 group(const float *f, int w, int h, int x, int y, bool zero) {
    if (VECTOR && x >= 0 && x < w && (!zero || (y >= 0 && y < h))) {
        return ((const float4 *)(f + (size_t)min(max(y, 0), h - 1) * w))[x / 4];
    }
    return make_float4(at(f, w, h, x, y, zero), at(f, w, h, x + 1, y, zero),
                       at(f, w, h, x + 2, y, zero), at(f, w, h, x + 3, y, zero));
}

template <bool VECTOR> static __device__ void put(float *out, int w, int h, int x, int y, float4 v) {
    if (y >= h || x >= w) {
        return;
    }
    float *p = out + (size_t)y * w + x;
    if (VECTOR) {
        *(float4 *)p = v;
    } else {
        p[0] = v.x;
        if (x + 1 < w) p[1] = v.y;
        if (x + 2 < w) p[2] = v.z;
        if (x + 3 < w) p[3] = v.w;
    }
}

template <int N, bool VECTOR>
__global__ void rows4(const float *f, int w, int h, bool zero, float *out) {
    __shared__ float4 s[4][32 + 4];
    const int x = blockIdx.x * 128 + 4 * threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    s[threadIdx.y][threadIdx.x] = group<VECTOR>(f, w, h, x - 8, y, zero);
    if (threadIdx.x < 4) {
        s[threadIdx.y][threadIdx.x + 32] = group<VECTOR>(f, w, h, x + 120, y, zero);
    }
    __syncwarp();
    float t[20];
#pragma unroll
    for (int i = 0; i < 5; i++) {
        const float4 v = s[threadIdx.y][threadIdx.x + i];
        t[4 * i] = v.x, t[4 * i + 1] = v.y, t[4 * i + 2] = v.z, t[4 * i + 3] = v.w;
    }
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
    for (int a = 0; a <= 2 * N; a++) {
        const float c = c_lines[1][a];
        sum.x = fmaf(c, t[8 - N + a], sum.x);
        sum.y = fmaf(c, t[9 - N + a], sum.y);
        sum.z = fmaf(c, t[10 - N + a], sum.z);
        sum.w = fmaf(c, t[11 - N + a], sum.w);
    }
    put<VECTOR>(out, w, h, x, y, sum);
}

template <int N, bool VECTOR>
__global__ void columns4(const float *f, int w, int h, bool zero, float *out) {
    __shared__ float4 s[16 + 2 * N][32];
    const int x = blockIdx.x * 128 + 4 * threadIdx.x, top = blockIdx.y * 16;
    for (int v = threadIdx.y; v < 16 + 2 * N; v += 4) {
        s[v][threadIdx.x] = group<VECTOR>(f, w, h, x, top - N + v, zero);
    }
    __syncthreads();
    for (int v = threadIdx.y; v < 16; v += 4) {
        float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
        for (int b = 0; b <= 2 * N; b++) {
            const float c = c_lines[0][b];
            const float4 p = s[v + b][threadIdx.x];
            sum.x = fmaf(c, p.x, sum.x);
            sum.y = fmaf(c, p.y, sum.y);
            sum.z = fmaf(c, p.z, sum.z);
            sum.w = fmaf(c, p.w, sum.w);
        }
        put<VECTOR>(out, w, h, x, top + v, sum);
    }
}

template <int N, bool VECTOR>
static cudaError_t both(const float *f, int w, int h, bool zero, float *between, float *out) {
    rows4<N, VECTOR><<<dim3((w + 127) / 128, (h + 3) / 4), dim3(32, 4)>>>(f, w, h, zero, between);
    if (const cudaError_t error = cudaGetLastError()) {
        return error;
    }
    columns4<N, VECTOR><<<dim3((w + 127) / 128, (h + 15) / 16), dim3(32, 4)>>>(between, w, h, zero,
                                                                             out);
    return cudaGetLastError();
}

template <int N>
static cudaError_t of_radius(const float *f, int w, int h, int r, bool zero, float *between,
                             float *out) {
    if (r < N) {
        return of_radius<(N > 0 ? N - 1 : 0)>(f, w, h, r, zero, between, out);
    }
    return w % 4 ? both<N, false>(f, w, h, zero, between, out)
                 : both<N, true>(f, w, h, zero, between, out);
}

cudaError_t filter_vectorised(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_between, float *d_out) {
    return of_radius<R>(d_image, width, height, radius, border == BORDER_ZERO, d_between, d_out);
}
