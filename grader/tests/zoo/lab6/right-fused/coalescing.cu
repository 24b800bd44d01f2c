// zoo: right
//
// One kernel for both passes in every part; d_between is not used. The tile has an apron of 8 on
// every side, so each of its rows begins where a sector begins.
#include "lab.h"

#include <string.h>

enum { R = MASK_MAX_RADIUS, N = LINE_MAX_LENGTH };

__constant__ float c_down[N], c_across[N];

cudaError_t set_lines(const float *h_column, const float *h_row, int radius) {
    if (radius < 0 || radius > R) {
        return cudaErrorInvalidValue;
    }
    float line[N];
    for (int pass = 0; pass < 2; pass++) {
        const float *from = pass ? h_row : h_column;
        for (int i = 0; i < N; i++) {
            const int k = i - R + radius;
            line[i] = k >= 0 && k <= 2 * radius ? from[k] : 0.0f;
        }
        const cudaError_t error = pass ? cudaMemcpyToSymbol(c_across, line, sizeof line)
                                       : cudaMemcpyToSymbol(c_down, line, sizeof line);
        if (error != cudaSuccess) {
            return error;
        }
    }
    return cudaSuccess;
}

__device__ __forceinline__ float fetch(const float *f, int w, int h, int x, int y,
                                       enum border border) {
    if (border == BORDER_REPLICATE) {
        x = min(max(x, 0), w - 1);
        y = min(max(y, 0), h - 1);
    }
    return x >= 0 && y >= 0 && x < w && y < h ? f[(size_t)y * w + x] : 0.0f;
}

/* 32 x 32 pixels a block of 32 x 8 threads; the first pass goes down, the second across. */
__global__ void fused(const float *f, int w, int h, int r, enum border border, float *out) {
    __shared__ float s[32 + 2 * R][32 + 2 * R], mid[32][32 + 2 * R];
    const int left = blockIdx.x * 32, top = blockIdx.y * 32, t = threadIdx.x;
    for (int v = R - r + threadIdx.y; v < 32 + R + r; v += 8) {
        s[v][t] = fetch(f, w, h, left - R + t, top - R + v, border);
        if (t < 2 * R) {
            s[v][32 + t] = fetch(f, w, h, left - R + 32 + t, top - R + v, border);
        }
    }
    __syncthreads();
    for (int v = threadIdx.y; v < 32; v += 8) {
        for (int u = t; u < 32 + 2 * R; u += 32) {
            float sum = 0.0f;
            for (int b = R - r; b <= R + r; b++) {
                sum += s[v + b][u] * c_down[b];
            }
            mid[v][u] = sum;
        }
    }
    __syncthreads();
    for (int v = threadIdx.y; v < 32; v += 8) {
        float sum = 0.0f;
        for (int a = R - r; a <= R + r; a++) {
            sum += mid[v][t + a] * c_across[a];
        }
        if (left + t < w && top + v < h) {
            out[(size_t)(top + v) * w + left + t] = sum;
        }
    }
}

cudaError_t filter_coalesced(const float *d_image, int width, int height, int radius,
                             enum border border, float *d_between, float *d_out) {
    (void)d_between;
    fused<<<dim3((width + 31) / 32, (height + 31) / 32), dim3(32, 8)>>>(d_image, width, height,
                                                                      radius, border, d_out);
    return cudaGetLastError();
}

cudaError_t filter_conflict_free(const float *d_image, int width, int height, int radius,
                                 enum border border, float *d_between, float *d_out) {
    return filter_coalesced(d_image, width, height, radius, border, d_between, d_out);
}

/* 128 x 16 pixels a block of 32 x 4 threads. A thread goes down its group of four columns once, with
 * four rows of results in registers. */
__global__ void fused4(const float *f, int w, int h, enum border border, float *out) {
    __shared__ float4 s[16 + 2 * R][36], mid[16][36];
    const int left = blockIdx.x * 128, top = blockIdx.y * 16;
    for (int v = threadIdx.y; v < 16 + 2 * R; v += 4) {
        for (int i = threadIdx.x; i < 36; i += 32) {
            const int x = left - R + 4 * i, y = top - R + v;
            if (w % 4 == 0 && x >= 0 && x < w && y >= 0 && y < h) {
                s[v][i] = *(const float4 *)(f + (size_t)y * w + x);
            } else {
                s[v][i].x = fetch(f, w, h, x, y, border);
                s[v][i].y = fetch(f, w, h, x + 1, y, border);
                s[v][i].z = fetch(f, w, h, x + 2, y, border);
                s[v][i].w = fetch(f, w, h, x + 3, y, border);
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 36; i += 32) {
        float4 sum[4];
        memset(sum, 0, sizeof sum);
#pragma unroll
        for (int v = 0; v < 4 + 2 * R; v++) {
            const float4 p = s[4 * threadIdx.y + v][i];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const float c = v - k >= 0 && v - k < N ? c_down[v - k] : 0.0f;
                sum[k].x += c * p.x;
                sum[k].y += c * p.y;
                sum[k].z += c * p.z;
                sum[k].w += c * p.w;
            }
        }
        for (int k = 0; k < 4; k++) {
            mid[4 * threadIdx.y + k][i] = sum[k];
        }
    }
    __syncthreads();
    const int x = left + 4 * threadIdx.x;
    for (int v = threadIdx.y; v < 16; v += 4) {
        float t[20], sum[4];
#pragma unroll
        for (int i = 0; i < 5; i++) {
            const float4 p = mid[v][threadIdx.x + i];
            t[4 * i] = p.x;
            t[4 * i + 1] = p.y;
            t[4 * i + 2] = p.z;
            t[4 * i + 3] = p.w;
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            sum[k] = 0.0f;
#pragma unroll
            for (int a = 0; a < N; a++) {
                sum[k] += c_across[a] * t[k + a];
            }
        }
        if (top + v >= h || x >= w) {
            continue;
        }
        if (w % 4 == 0) {
            *(float4 *)(out + (size_t)(top + v) * w + x) =
                make_float4(sum[0], sum[1], sum[2], sum[3]);
        } else {
            for (int k = 0; k < min(4, w - x); k++) {
                out[(size_t)(top + v) * w + x + k] = sum[k];
            }
        }
    }
}

cudaError_t filter_vectorised(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_between, float *d_out) {
    (void)radius, (void)d_between;
    fused4<<<dim3((width + 127) / 128, (height + 15) / 16), dim3(32, 4)>>>(d_image, width, height,
                                                                         border, d_out);
    return cudaGetLastError();
}
