// zoo: right
//
// Part B without padding: the columns of the tile are exclusive-ored with the row.
#include "lab.h"
#include <string.h>
/* A,B: data[x][y] with XOR swizzle in B; C: shared float4 tiles, 8 pixels a thread */
__constant__ float col_c[32];
__constant__ float row_c[32];
enum { R = 8, W = 64, H = 16 };
cudaError_t set_lines(const float *c, const float *r, int n) {
    if (n < 0 || n > MASK_MAX_RADIUS)
        return cudaErrorInvalidValue;
    float a[32], b[32];
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    memcpy(&a[R - n], c, sizeof(float) * (2 * n + 1));
    memcpy(&b[R - n], r, sizeof(float) * (2 * n + 1));
    cudaError_t e = cudaMemcpyToSymbol(col_c, a, sizeof a);
    if (e != cudaSuccess)
        return e;
    return cudaMemcpyToSymbol(row_c, b, sizeof b);
}
__device__ static inline float px(const float *f, int w, int h, int x, int y, enum border b) {
    if (b == BORDER_REPLICATE) {
        x = max(0, min(x, w - 1));
        y = max(0, min(y, h - 1));
    } else if (x < 0 || x >= w || y < 0 || y >= h)
        return 0.0f;
    return f[(size_t)y * w + x];
}
template <class INDEX>
__device__ void pass_rows(const float *f, int w, int h, int r, enum border b, float *o, float *s,
                          INDEX at) {
    const int left = blockIdx.x * W, y = blockIdx.y * H + threadIdx.y;
    for (int u = threadIdx.x; u < W + 2 * R; u += blockDim.x)
        s[at(u, threadIdx.y)] = px(f, w, h, left + u - R, y, b);
    __syncthreads();
    for (int u = threadIdx.x; u < W; u += blockDim.x) {
        if (left + u >= w || y >= h)
            continue;
        float acc = 0;
        for (int a = -r; a <= r; a++)
            acc += s[at(u + R + a, threadIdx.y)] * row_c[R + a];
        o[(size_t)y * w + left + u] = acc;
    }
}
template <class INDEX>
__device__ void pass_cols(const float *f, int w, int h, int r, enum border b, float *o, float *s,
                          INDEX at) {
    const int x = blockIdx.x * 32 + threadIdx.x, top = blockIdx.y * 32;
    int v = threadIdx.y;
    while (v < 32 + 2 * r) {
        s[at(threadIdx.x, v)] = px(f, w, h, x, top - r + v, b);
        v += blockDim.y;
    }
    __syncthreads();
    for (v = threadIdx.y; v < 32 && top + v < h && x < w; v += blockDim.y) {
        float acc = 0;
        for (int a = 0; a <= 2 * r; a++)
            acc += s[at(threadIdx.x, v + a)] * col_c[R - r + a];
        o[(size_t)(top + v) * w + x] = acc;
    }
}
__global__ void rowsA(const float *f, int w, int h, int r, enum border b, float *o) {
    __shared__ float s[(W + 2 * R) * H];
    pass_rows(f, w, h, r, b, o, s, [](int u, int v) { return u * H + v; });
}
__global__ void rowsB(const float *f, int w, int h, int r, enum border b, float *o) {
    __shared__ float s[(W + 2 * R) * 17];
    pass_rows(f, w, h, r, b, o, s, [](int u, int v) { return u * 17 + v; });
}
__global__ void colsA(const float *f, int w, int h, int r, enum border b, float *o) {
    __shared__ float s[32 * 48];
    pass_cols(f, w, h, r, b, o, s, [](int u, int v) { return u * 48 + v; });
}
__global__ void colsB(const float *f, int w, int h, int r, enum border b, float *o) {
    __shared__ float s[32 * 48];
    pass_cols(f, w, h, r, b, o, s, [](int u, int v) { return v * 32 + (u ^ (v & 31)); });
}
#define TRY(what)                                                                                  \
    do {                                                                                           \
        what;                                                                                      \
        cudaError_t e_ = cudaGetLastError();                                                       \
        if (e_ != cudaSuccess)                                                                     \
            return e_;                                                                             \
    } while (0)
cudaError_t filter_coalesced(const float *d, int w, int h, int r, enum border b, float *t,
                             float *o) {
    const dim3 gr((w + W - 1) / W, (h + H - 1) / H), gc((w + 31) / 32, (h + 31) / 32);
    TRY((rowsA<<<gr, dim3(32, H)>>>(d, w, h, r, b, t)));
    TRY((colsA<<<gc, dim3(32, 16)>>>(t, w, h, r, b, o)));
    return cudaSuccess;
}
cudaError_t filter_conflict_free(const float *d, int w, int h, int r, enum border b, float *t,
                                 float *o) {
    const dim3 gr((w + W - 1) / W, (h + H - 1) / H), gc((w + 31) / 32, (h + 31) / 32);
    rowsB<<<gr, dim3(32, H)>>>(d, w, h, r, b, t);
    cudaError_t e = cudaGetLastError();
    if (e)
        goto done;
    colsB<<<gc, dim3(32, 16)>>>(t, w, h, r, b, o);
    e = cudaGetLastError();
done:
    return e;
}
__device__ static float4 px4(const float *f, int w, int h, int x, int y, enum border b) {
    const bool vec = !(w & 3) && x >= 0 && x + 3 < w && y >= 0 && y < h;
    if (vec)
        return ((const float4 *)(f + (size_t)y * w))[x / 4];
    float4 q;
    q.x = px(f, w, h, x, y, b);
    q.y = px(f, w, h, x + 1, y, b);
    q.z = px(f, w, h, x + 2, y, b);
    q.w = px(f, w, h, x + 3, y, b);
    return q;
}
__global__ void rowsC(const float *f, int w, int h, enum border b, float *o) {
    __shared__ float4 s[4][32 + 4];
    const int x0 = blockIdx.x * 128, y = blockIdx.y * 4 + threadIdx.y, l = threadIdx.x;
    s[threadIdx.y][l + 2] = px4(f, w, h, x0 + 4 * l, y, b);
    if (l < 2)
        s[threadIdx.y][l] = px4(f, w, h, x0 - 8 + 4 * l, y, b);
    else if (l >= 30)
        s[threadIdx.y][l + 4] = px4(f, w, h, x0 + 8 + 4 * l, y, b);
    __syncthreads();
    float v[20];
#pragma unroll
    for (int i = 0; i < 5; i++) {
        const float4 q = s[threadIdx.y][l + i];
        v[4 * i] = q.x, v[4 * i + 1] = q.y, v[4 * i + 2] = q.z, v[4 * i + 3] = q.w;
    }
    float4 a = {0, 0, 0, 0};
#pragma unroll
    for (int k = 0; k < 17; k++) {
        a.x += v[k] * row_c[k];
        a.y += v[k + 1] * row_c[k];
        a.z += v[k + 2] * row_c[k];
        a.w += v[k + 3] * row_c[k];
    }
    const int x = x0 + 4 * l;
    if (y < h) {
        if (w % 4 == 0) {
            if (x < w)
                *(float4 *)&o[(size_t)y * w + x] = a;
        } else {
            if (x < w)
                o[(size_t)y * w + x] = a.x;
            if (x + 1 < w)
                o[(size_t)y * w + x + 1] = a.y;
            if (x + 2 < w)
                o[(size_t)y * w + x + 2] = a.z;
            if (x + 3 < w)
                o[(size_t)y * w + x + 3] = a.w;
        }
    }
}
/* float2 columns would be too many loads: float4, tile of 32 groups x 48 rows */
__global__ void colsC(const float *f, int w, int h, enum border b, float *o) {
    extern __shared__ float4 t4[];
    const int x = 4 * (blockIdx.x * 32 + threadIdx.x), y0 = blockIdx.y * 32;
    for (int v = threadIdx.y; v < 48; v += 4)
        t4[v * 32 + threadIdx.x] = px4(f, w, h, x, y0 + v - 8, b);
    __syncthreads();
    float4 acc[8];
    for (int k = 0; k < 8; k++)
        acc[k] = make_float4(0, 0, 0, 0);
#pragma unroll
    for (int i = 0; i < 24; i++) {
        const float4 q = t4[(threadIdx.y * 8 + i) * 32 + threadIdx.x];
#pragma unroll
        for (int k = 0; k < 8; k++)
            if (i >= k && i - k < 17) {
                const float c = col_c[i - k];
                acc[k].x += c * q.x;
                acc[k].y += c * q.y;
                acc[k].z += c * q.z;
                acc[k].w += c * q.w;
            }
    }
    for (int k = 0; k < 8; k++) {
        const int y = y0 + threadIdx.y * 8 + k;
        if (y >= h)
            return;
        const float e[4] = {acc[k].x, acc[k].y, acc[k].z, acc[k].w};
        if ((w & 3) == 0 && x < w)
            *(float4 *)(o + (size_t)y * w + x) = acc[k];
        else
            for (int j = 0; j < 4; j++)
                if (x + j < w)
                    o[(size_t)y * w + x + j] = e[j];
    }
}
cudaError_t filter_vectorised(const float *d, int w, int h, int r, enum border b, float *t,
                              float *o) {
    (void)r;
    const dim3 blk(32, 4);
    TRY((rowsC<<<dim3((w + 127) / 128, (h + 3) / 4), blk>>>(d, w, h, b, t)));
    TRY((colsC<<<dim3((w + 127) / 128, (h + 31) / 32), blk, 48 * 32 * sizeof(float4)>>>(t, w, h, b,
                                                                                        o)));
    return cudaSuccess;
}
