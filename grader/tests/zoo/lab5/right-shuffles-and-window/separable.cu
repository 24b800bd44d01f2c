// zoo: right
//
// Part A by shuffles, part B with a window in registers, part C with the columns first and a
// lambda.
#include "lab.h"
#include <math.h>
#include <string.h>
/* A: warp shuffles; B: sliding window down a column in registers; C: templates on the radius,
 * lambda dispatch */
__constant__ float kc[LINE_MAX_LENGTH], kr[LINE_MAX_LENGTH];
cudaError_t set_lines(const float *c, const float *r, int radius) {
    if (radius < 0 || radius > MASK_MAX_RADIUS)
        return cudaErrorInvalidValue;
    cudaError_t e = cudaMemcpyToSymbol(kc, c, (2 * radius + 1) * sizeof *c);
    if (e == cudaSuccess)
        e = cudaMemcpyToSymbol(kr, r, (2 * radius + 1) * sizeof *r);
    return e;
}
template <bool ZERO> __device__ float at(const float *f, int w, int h, int x, int y) {
    if constexpr (ZERO)
        return x < 0 || y < 0 || x >= w || y >= h ? 0.0f : f[(size_t)y * w + x];
    else
        return f[(size_t)max(0, min(y, h - 1)) * w + max(0, min(x, w - 1))];
}
template <bool ZERO> __global__ void rows(const float *f, int w, int h, int r, float *o) {
    const unsigned all = 0xffffffffu;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int y = blockIdx.y * (blockDim.x >> 5) + warp;
    const int x0 = blockIdx.x * 32;
    const float lo = at<ZERO>(f, w, h, x0 - r + lane, y),
                hi = at<ZERO>(f, w, h, x0 - r + 32 + lane, y);
    float s = 0;
    for (int k = 0; k <= 2 * r; k++) {
        const int src = lane + k;
        const float a = __shfl_sync(all, lo, src & 31), b = __shfl_sync(all, hi, src & 31);
        s += (src < 32 ? a : b) * kr[k];
    }
    if (x0 + lane < w && y < h)
        o[(size_t)y * w + x0 + lane] = s;
}
cudaError_t correlate_rows(const float *d, int w, int h, int r, enum border b, float *o) {
    dim3 g((w + 31) / 32, (h + 3) / 4);
    if (b == BORDER_ZERO)
        rows<true><<<g, 128>>>(d, w, h, r, o);
    else
        rows<false><<<g, 128>>>(d, w, h, r, o);
    return cudaGetLastError();
}
template <bool ZERO, int R>
__global__ void cols(const float *__restrict__ f, int w, int h, float *__restrict__ o) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y0 = blockIdx.y * 48;
    if (x >= w)
        return;
    float win[2 * R + 1];
#pragma unroll
    for (int i = 0; i < 2 * R; i++)
        win[i + 1] = at<ZERO>(f, w, h, x, y0 - R + i);
    for (int y = y0; y < min(y0 + 48, h); y++) {
#pragma unroll
        for (int i = 0; i < 2 * R; i++)
            win[i] = win[i + 1];
        win[2 * R] = at<ZERO>(f, w, h, x, y + R);
        float s = 0;
#pragma unroll
        for (int i = 0; i <= 2 * R; i++)
            s = __fmaf_rn(win[i], kc[i], s);
        o[(size_t)y * w + x] = s;
    }
}
cudaError_t correlate_columns(const float *d, int w, int h, int r, enum border b, float *o) {
    dim3 g((w + 63) / 64, (h + 47) / 48), t(64);
    switch (r) {
#define GO(R)                                                                                      \
    case R:                                                                                        \
        if (b == BORDER_ZERO)                                                                      \
            cols<true, R><<<g, t>>>(d, w, h, o);                                                   \
        else                                                                                       \
            cols<false, R><<<g, t>>>(d, w, h, o);                                                  \
        break;
        GO(0)
        GO(1) GO(2) GO(3) GO(4) GO(5) GO(6) GO(7) GO(8) default : return cudaErrorInvalidValue;
    }
    return cudaGetLastError();
}
enum separation separate(const float *m, int r, float *c, float *row, struct contradiction *why) {
    /* every row against the row of the largest magnitude; factor in the row, column over it */
    const int n = 2 * r + 1;
    int best = 0;
    for (int i = 1; i < n * n; i++)
        best = fabsf(m[i]) > fabsf(m[best]) ? i : best;
    if (m[best] == 0) {
        memset(c, 0, n * sizeof *c);
        memset(row, 0, n * sizeof *row);
        return SEPARABLE;
    }
    const int p = best % n, q = best / n;
    const double s = sqrt(fabs((double)m[best])), sign = m[best] < 0 ? -1 : 1;
    for (int i = 0; i < n; i++) {
        c[i] = m[i * n + p] / s;
        row[i] = sign * m[q * n + i] / s;
    }
    for (int b = 0; b < n; b++)
        for (int a = 0; a < n; a++) {
            const double x = (double)m[b * n + a] * m[best],
                         y = (double)m[b * n + p] * m[q * n + a];
            if (!(fabs(x - y) <= SEPARABLE_TOLERANCE * fabs(x))) {
                *why = (struct contradiction){a - r, b - r, p - r, q - r};
                return NOT_SEPARABLE;
            }
        }
    return SEPARABLE;
}
cudaError_t correlate_separable(const float *d, int w, int h, int r, enum border b, float *t,
                                float *o) {
    cudaError_t e;
    if ((e = correlate_rows(d, w, h, r, b, t)) != cudaSuccess)
        goto out;
    e = correlate_columns(t, w, h, r, b, o);
out:
    return e;
}
/* fused: column pass first, block 32x32 threads, one pixel each */
__global__ void fused(const float *f, int w, int h, int r, enum border b, float *o) {
    __shared__ float tile[48][49];
    __shared__ float mid[32][49];
    const int bx = blockIdx.x * 32 - r, by = blockIdx.y * 32 - r;
    auto get = [=](int x, int y) {
        return b == BORDER_ZERO ? at<true>(f, w, h, x, y) : at<false>(f, w, h, x, y);
    };
    for (int v = threadIdx.y; v < 32 + 2 * r; v += 32)
        for (int u = threadIdx.x; u < 32 + 2 * r; u += 32)
            tile[v][u] = get(bx + u, by + v);
    __syncthreads();
    for (int u = threadIdx.x; u < 32 + 2 * r; u += 32) {
        float s = 0;
        for (int k = 0; k <= 2 * r; k++)
            s += tile[threadIdx.y + k][u] * kc[k];
        mid[threadIdx.y][u] = s;
    }
    __syncthreads();
    const int x = bx + r + threadIdx.x, y = by + r + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float s = 0;
    for (int k = 0; k <= 2 * r; k++)
        s += mid[threadIdx.y][threadIdx.x + k] * kr[k];
    o[(size_t)y * w + x] = s;
}
cudaError_t correlate_fused(const float *d, int w, int h, int r, enum border b, float *o) {
    dim3 g, t(32, 32);
    g.x = (unsigned)((w + 31) / 32), g.y = (unsigned)((h + 31) / 32);
    fused<<<g, t>>>(d, w, h, r, b, o);
    return cudaGetLastError();
}
