// zoo: right
//
// separate() by the power method: the largest singular vectors are the lines. A thread computes four
// neighbouring pixels with the taps in registers; the fused kernel has a tile 64 wide.
#include "lab.h"

#include <math.h>
#include <stdlib.h>

#define T 64
#define R MASK_MAX_RADIUS

static __constant__ float col[LINE_MAX_LENGTH], row[LINE_MAX_LENGTH];

cudaError_t set_lines(const float *h_column, const float *h_row, int radius) {
    if (radius < 0 || radius > R) {
        return cudaErrorInvalidValue;
    }
    cudaError_t e;
    if ((e = cudaMemcpyToSymbol(col, h_column, sizeof(float) * (2 * radius + 1))) != cudaSuccess ||
        (e = cudaMemcpyToSymbol(row, h_row, sizeof(float) * (2 * radius + 1))) != cudaSuccess) {
        return e;
    }
    return cudaSuccess;
}

__device__ inline float get(const float *d, int w, int h, int x, int y, int border) {
    bool in = x >= 0 && y >= 0 && x < w && y < h;
    if (!in && border == BORDER_ZERO) {
        return 0;
    }
    x = min(max(x, 0), w - 1);
    y = min(max(y, 0), h - 1);
    return __ldg(&d[y * w + x]);
}

/* A tile of th rows of tw pixels from (x, y); the block's threads share the work. */
__device__ void fill(float *s, int tw, int th, const float *d, int w, int h, int x, int y,
                     int border) {
    for (int v = threadIdx.y; v < th; v += blockDim.y) {
        for (int u = threadIdx.x; u < tw; u += blockDim.x) {
            s[v * tw + u] = get(d, w, h, x + u, y + v, border);
        }
    }
    __syncthreads();
}

/* Four sums, `apart` apart in the tile, along taps that are `step` apart. */
__device__ float4 four(const float *s, int apart, int step, const float *line, int r) {
    float4 sum = make_float4(0, 0, 0, 0);
    for (int k = 0; k <= 2 * r; k++, s += step) {
        sum.x += line[k] * s[0];
        sum.y += line[k] * s[apart];
        sum.z += line[k] * s[2 * apart];
        sum.w += line[k] * s[3 * apart];
    }
    return sum;
}

__device__ void put(float *d, int w, int h, int x, int y, float value) {
    if (x < w && y < h) {
        d[(size_t)y * w + x] = value;
    }
}

/* 128 pixels of 4 rows for a block of 32 x 4: a lane has the pixels u, u + 32, u + 64, u + 96. */
__global__ void rows_k(const float *d, int w, int h, int r, int border, float *out) {
    __shared__ float s[4 * (128 + 2 * R)];
    const int tw = 128 + 2 * r, x = blockIdx.x * 128, y = blockIdx.y * 4;
    fill(s, tw, 4, d, w, h, x - r, y, border);
    const float4 sum = four(s + threadIdx.y * tw + threadIdx.x, 32, 1, row, r);
    put(out, w, h, x + threadIdx.x, y + threadIdx.y, sum.x);
    put(out, w, h, x + threadIdx.x + 32, y + threadIdx.y, sum.y);
    put(out, w, h, x + threadIdx.x + 64, y + threadIdx.y, sum.z);
    put(out, w, h, x + threadIdx.x + 96, y + threadIdx.y, sum.w);
}

/* 32 x 64 pixels for a block of 32 x 16: four rows a thread, one below the other. */
__global__ void columns_k(const float *d, int w, int h, int r, int border, float *out) {
    __shared__ float s[(T + 2 * R) * 32];
    const int x = blockIdx.x * 32, y = blockIdx.y * T;
    fill(s, 32, T + 2 * r, d, w, h, x, y - r, border);
    const float4 sum = four(s + 4 * threadIdx.y * 32 + threadIdx.x, 32, 32, col, r);
    put(out, w, h, x + threadIdx.x, y + 4 * threadIdx.y, sum.x);
    put(out, w, h, x + threadIdx.x, y + 4 * threadIdx.y + 1, sum.y);
    put(out, w, h, x + threadIdx.x, y + 4 * threadIdx.y + 2, sum.z);
    put(out, w, h, x + threadIdx.x, y + 4 * threadIdx.y + 3, sum.w);
}

__global__ void fused_k(const float *d, int w, int h, int r, int border, float *out) {
    __shared__ float s[(16 + 2 * R) * (T + 2 * R)], mid[(16 + 2 * R) * T];
    const int tw = T + 2 * r, x = blockIdx.x * T, y = blockIdx.y * 16;
    fill(s, tw, 16 + 2 * r, d, w, h, x - r, y - r, border);
    for (int i = threadIdx.y * 32 + threadIdx.x; i < (16 + 2 * r) * T; i += 256) {
        float sum = 0;
        for (int a = 0; a <= 2 * r; a++) {
            sum += row[a] * s[i / T * tw + i % T + a];
        }
        mid[i] = sum;
    }
    __syncthreads();
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 16 * T; i += 256) {
        float sum = 0;
        for (int b = 0; b <= 2 * r; b++) {
            sum += col[b] * mid[i + b * T];
        }
        put(out, w, h, x + i % T, y + i / T, sum);
    }
}

cudaError_t correlate_rows(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    rows_k<<<dim3((width + 127) / 128, (height + 3) / 4), dim3(32, 4)>>>(d_image, width, height,
                                                                       radius, border, d_out);
    return cudaGetLastError();
}

cudaError_t correlate_columns(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_out) {
    columns_k<<<dim3((width + 31) / 32, (height + T - 1) / T), dim3(32, 16)>>>(
        d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
}

enum separation separate(const float *h_mask, int radius, float *h_column, float *h_row,
                         struct contradiction *why) {
    const int n = 2 * radius + 1;
    double u[LINE_MAX_LENGTH] = {0}, v[LINE_MAX_LENGTH];
    double size = 0;
    for (int i = 0; i < n; i++) {
        v[i] = 1 + 0.1 * i; /* not at right angles to any line that comes to mind */
    }
    for (int round = 0; round < 100; round++) {
        double sum = 0;
        for (int b = 0; b < n; b++) {
            u[b] = 0;
            for (int a = 0; a < n; a++) {
                u[b] += h_mask[b * n + a] * v[a];
            }
        }
        for (int a = 0; a < n; a++) {
            v[a] = 0;
            for (int b = 0; b < n; b++) {
                v[a] += h_mask[b * n + a] * u[b];
            }
            sum += v[a] * v[a];
        }
        for (int a = 0; a < n && sum > 0; a++) {
            v[a] /= sqrt(sum);
        }
    }
    for (int i = 0; i < n; i++) {
        size += v[i] * v[i];
    }
    for (int b = 0; b < n; b++) {
        u[b] = 0;
        for (int a = 0; a < n; a++) {
            u[b] += h_mask[b * n + a] * v[a];
        }
    }
    for (int i = 0; i < n; i++) {
        h_column[i] = size > 0 ? (float)u[i] : 0;
        h_row[i] = size > 0 ? (float)v[i] : 0;
    }
    for (int i = 0; i < n * n; i++) {
        const double off = fabs(u[i / n] * v[i % n] - h_mask[i]);
        if (off <= SEPARABLE_TOLERANCE * fabs(h_mask[i])) {
            continue;
        }
        for (int j = 0; j < n * n; j++) { /* which other coefficient does this one contradict? */
            const double one = (double)h_mask[i] * h_mask[j];
            const double other =
                (double)h_mask[i / n * n + j % n] * h_mask[j / n * n + i % n];
            if (fabs(one - other) > SEPARABLE_TOLERANCE * fabs(one)) {
                why->a = i % n - radius;
                why->b = i / n - radius;
                why->p = j % n - radius;
                why->q = j / n - radius;
                return NOT_SEPARABLE;
            }
        }
    }
    return SEPARABLE;
}

cudaError_t correlate_separable(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_between, float *d_out) {
    cudaError_t e = correlate_rows(d_image, width, height, radius, border, d_between);
    return e ? e : correlate_columns(d_between, width, height, radius, border, d_out);
}

cudaError_t correlate_fused(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_out) {
    fused_k<<<dim3((width + T - 1) / T, (height + 15) / 16), dim3(32, 8)>>>(d_image, width, height,
                                                                          radius, border, d_out);
    return cudaGetLastError();
}
