// zoo: right
//
// No shared memory at all: the lanes of a warp hand each other their pixels by shuffles, and the
// column pass marches down with the open sums in registers.
#include "lab.h"

#include <string.h>

enum { R = MASK_MAX_RADIUS, N = LINE_MAX_LENGTH, MARCH = 64 };
static const unsigned ALL = 0xffffffffu;

__constant__ float c_row[N], c_column[N]; /* centred, zeros at the ends */

cudaError_t set_lines(const float *h_column, const float *h_row, int radius) {
    float line[2][N];
    if (radius < 0 || radius > R) {
        return cudaErrorInvalidValue;
    }
    memset(line, 0, sizeof line);
    for (int i = 0; i < 2 * radius + 1; i++) {
        line[0][R - radius + i] = h_column[i];
        line[1][R - radius + i] = h_row[i];
    }
    cudaError_t error = cudaMemcpyToSymbol(c_column, line[0], sizeof line[0]);
    return error ? error : cudaMemcpyToSymbol(c_row, line[1], sizeof line[1]);
}

__device__ __forceinline__ float at(const float *f, int w, int h, int x, int y, int border) {
    const int u = min(max(x, 0), w - 1), v = min(max(y, 0), h - 1);
    return border == BORDER_ZERO && (u != x || v != y) ? 0.0f : f[(size_t)v * w + u];
}

/* A warp for 32 pixels of a row: lanes hold x - 8 .. x + 23, and half of them x + 24 .. x + 39. */
__global__ void rows_k(const float *f, int w, int h, int border, float *out) {
    const int lane = threadIdx.x, x = blockIdx.x * 32 + lane;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const float low = at(f, w, h, x - R, y, border);
    const float high = lane < 2 * R ? at(f, w, h, x - R + 32, y, border) : 0.0f;
    float sum = 0.0f;
#pragma unroll
    for (int a = 0; a < N; a++) { /* pixel x - R + a lies in lane (lane + a) % 32 */
        const float from_low = __shfl_sync(ALL, low, (lane + a) & 31);
        const float from_high = __shfl_sync(ALL, high, (lane + a) & 31);
        sum += c_row[a] * (lane + a < 32 ? from_low : from_high);
    }
    if (x < w && y < h) {
        out[(size_t)y * w + x] = sum;
    }
}

__global__ void columns_k(const float *f, int w, int h, int border, float *out) {
    const int x = blockIdx.x * 32 + threadIdx.x, top = (blockIdx.y * blockDim.y + threadIdx.y) * MARCH;
    float open[N];
#pragma unroll
    for (int k = 0; k < N; k++) {
        open[k] = 0.0f;
    }
    if (x >= w) {
        return;
    }
    for (int y = top - R; y < min(top + MARCH, h) + R; y++) {
        const float p = at(f, w, h, x, y, border);
#pragma unroll
        for (int k = N - 1; k > 0; k--) {
            open[k] = open[k - 1] + c_column[k] * p;
        }
        open[0] = c_column[0] * p;
        if (y - R >= top) {
            out[(size_t)(y - R) * w + x] = open[N - 1];
        }
    }
}

cudaError_t filter_coalesced(const float *d_image, int width, int height, int radius,
                             enum border border, float *d_between, float *d_out) {
    (void)radius;
    const dim3 block(32, 4);
    rows_k<<<dim3((width + 31) / 32, (height + 3) / 4), block>>>(d_image, width, height, border,
                                                                d_between);
    cudaError_t error = cudaGetLastError();
    if (!error) {
        columns_k<<<dim3((width + 31) / 32, (height + 4 * MARCH - 1) / (4 * MARCH)), block>>>(
            d_between, width, height, border, d_out);
        error = cudaGetLastError();
    }
    return error;
}

cudaError_t filter_conflict_free(const float *d_image, int width, int height, int radius,
                                 enum border border, float *d_between, float *d_out) {
    return filter_coalesced(d_image, width, height, radius, border, d_between, d_out);
}

__device__ float4 four_at(const float *f, int w, int h, int x, int y, int border) {
    if ((w & 3) == 0 && x >= 0 && x < w && y >= 0 && y < h) {
        return *reinterpret_cast<const float4 *>(f + (size_t)y * w + x);
    }
    float4 v;
    v.x = at(f, w, h, x, y, border);
    v.y = at(f, w, h, x + 1, y, border);
    v.z = at(f, w, h, x + 2, y, border);
    v.w = at(f, w, h, x + 3, y, border);
    return v;
}

__device__ void four_to(float *out, int w, int x, int y, float4 v) {
    float *p = out + (size_t)y * w + x;
    if ((w & 3) == 0) {
        *reinterpret_cast<float4 *>(p) = v;
        return;
    }
    p[0] = v.x;
    if (x + 1 < w) {
        p[1] = v.y;
    }
    if (x + 2 < w) {
        p[2] = v.z;
    }
    if (x + 3 < w) {
        p[3] = v.w;
    }
}

__device__ float4 from_lane(float4 v, int lane) {
    return make_float4(__shfl_sync(ALL, v.x, lane), __shfl_sync(ALL, v.y, lane),
                       __shfl_sync(ALL, v.z, lane), __shfl_sync(ALL, v.w, lane));
}

/* A warp for 28 groups of a row: the four other lanes hold the apron. */
__global__ void rows_v(const float *f, int w, int h, int border, float *out) {
    const int lane = threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int x = (blockIdx.x * 28 + lane - 2) * 4;
    const float4 mine = four_at(f, w, h, x, y, border);
    float t[20];
#pragma unroll
    for (int i = 0; i < 5; i++) {
        const float4 v = from_lane(mine, (lane + i - 2) & 31);
        t[4 * i] = v.x;
        t[4 * i + 1] = v.y;
        t[4 * i + 2] = v.z;
        t[4 * i + 3] = v.w;
    }
    float4 sum = {0, 0, 0, 0};
#pragma unroll
    for (int a = 0; a < N; a++) {
        sum.x += c_row[a] * t[a];
        sum.y += c_row[a] * t[a + 1];
        sum.z += c_row[a] * t[a + 2];
        sum.w += c_row[a] * t[a + 3];
    }
    if (lane >= 2 && lane < 30 && x < w && y < h) {
        four_to(out, w, x, y, sum);
    }
}

__global__ void columns_v(const float *f, int w, int h, int border, float *out) {
    const int x = (blockIdx.x * 32 + threadIdx.x) * 4, top = blockIdx.y * MARCH;
    float4 open[N];
#pragma unroll
    for (int k = 0; k < N; k++) {
        open[k] = make_float4(0, 0, 0, 0);
    }
    if (x >= w) {
        return;
    }
    for (int y = top - R; y < min(top + MARCH, h) + R; y++) {
        const float4 p = four_at(f, w, h, x, y, border);
#pragma unroll
        for (int k = N - 1; k >= 0; k--) {
            float4 before = make_float4(0, 0, 0, 0);
            if (k > 0) {
                before = open[k - 1];
            }
            open[k].x = before.x + c_column[k] * p.x;
            open[k].y = before.y + c_column[k] * p.y;
            open[k].z = before.z + c_column[k] * p.z;
            open[k].w = before.w + c_column[k] * p.w;
        }
        if (y - R >= top) {
            four_to(out, w, x, y - R, open[N - 1]);
        }
    }
}

cudaError_t filter_vectorised(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_between, float *d_out) {
    (void)radius;
    rows_v<<<dim3((width + 111) / 112, (height + 3) / 4), dim3(32, 4)>>>(d_image, width, height,
                                                                       border, d_between);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        return error;
    }
    columns_v<<<dim3((width + 127) / 128, (height + MARCH - 1) / MARCH), 32>>>(
        d_between, width, height, border, d_out);
    return cudaGetLastError();
}
