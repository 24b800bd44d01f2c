// zoo: right
//
// Part A with the mask in constant memory, part C with one pixel of 16 masks a thread.
#include "lab.h"
#include <algorithm>
/* A: mask in constant memory by a device-to-device copy, grid-stride over channels, float4-free 1-D
 * blocks; B: matrix product 16x16 tiles x 2 outputs; C: one mask group, linear tile, dynamic shared
 * split */
template <typename T> struct Shape {
    int c, h, w;
    size_t plane() const {
        return (size_t)h * w;
    }
};
__constant__ double cd[9];
__constant__ float cf[9];
template <typename T> __device__ const T *coef();
template <> __device__ const double *coef<double>() {
    return cd;
}
template <> __device__ const float *coef<float>() {
    return cf;
}
template <typename T>
__global__ void dw(const T *__restrict__ in, T *__restrict__ out, int C, int h, int w) {
    __shared__ T s[10 * 66];
    const int x0 = blockIdx.x * 64, y0 = blockIdx.y * 8;
    for (int c = blockIdx.z; c < C; c += gridDim.z) {
        const T *p = in + (size_t)c * h * w;
        for (int i = threadIdx.x; i < 660; i += blockDim.x) {
            const int y = y0 - 1 + i / 66, x = x0 - 1 + i % 66;
            s[i] = (unsigned)y < (unsigned)h && (unsigned)x < (unsigned)w ? p[(size_t)y * w + x]
                                                                          : T(0);
        }
        __syncthreads();
        for (int i = threadIdx.x; i < 512; i += blockDim.x) {
            const int u = i % 64, v = i / 64;
            T acc = 0;
#pragma unroll
            for (int k = 0; k < 9; ++k)
                acc += s[(v + k / 3) * 66 + u + k % 3] * coef<T>()[k];
            if (x0 + u < w && y0 + v < h)
                out[(size_t)c * h * w + (size_t)(y0 + v) * w + x0 + u] = acc;
        }
        __syncthreads();
    }
}
template <typename T>
cudaError_t depth(const T *in, int C, int h, int w, const T *m, T *out, T (&sym)[9]) {
    cudaError_t e = cudaMemcpyToSymbol(sym, m, 9 * sizeof(T), 0, cudaMemcpyDeviceToDevice);
    if (e != cudaSuccess)
        return e;
    dw<T><<<dim3((w + 63) / 64, (h + 7) / 8, std::min(C, 5)), 256>>>(in, out, C, h, w);
    return cudaGetLastError();
}
/* out (N x P) = bank (N x C) times image (C x P) */
template <typename T>
__global__ void pw(const T *img, int C, size_t P, const T *bank, int N, T *out) {
    __shared__ T A[16][17], B[16][64];
    const size_t p0 = (size_t)blockIdx.x * 64;
    const int n0 = blockIdx.y * 16, tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    T acc[4] = {0, 0, 0, 0};
    for (int c0 = 0; c0 < C; c0 += 16) {
        A[ty][tx] = n0 + ty < N && c0 + tx < C ? bank[(size_t)(n0 + ty) * C + c0 + tx] : T();
        for (int i = t; i < 1024; i += 256) {
            const int c = c0 + i / 64;
            const size_t p = p0 + i % 64;
            B[i / 64][i % 64] = c < C && p < P ? img[c * P + p] : T();
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const T a = A[ty][k];
            for (int j = 0; j < 4; ++j)
                acc[j] += a * B[k][tx + 16 * j];
        }
        __syncthreads();
    }
    if (n0 + ty >= N)
        return;
    for (int j = 0; j < 4; ++j) {
        const size_t p = p0 + tx + 16 * j;
        if (p < P)
            out[(size_t)(n0 + ty) * P + p] = acc[j];
    }
}
template <typename T> cudaError_t point(const T *in, int C, int h, int w, const T *b, int N, T *o) {
    const size_t P = (size_t)h * w;
    pw<<<dim3((unsigned)((P + 63) / 64), (N + 15) / 16), dim3(16, 16)>>>(in, C, P, b, N, o);
    return cudaGetLastError();
}
template <typename T, int M>
__global__ void cv(const T *in, int C, int h, int w, const T *bank, int N, T *out) {
    extern __shared__ __align__(16) unsigned char raw[];
    T *tile = reinterpret_cast<T *>(raw), *wt = tile + 18 * 18;
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, x0 = blockIdx.x * 16,
              y0 = blockIdx.y * 16, n0 = blockIdx.z * M;
    T acc[M];
    for (T &a : acc)
        a = 0;
    for (int c = 0; c < C; ++c) {
        __syncthreads();
        for (int i = threadIdx.x; i < 324; i += 256) {
            const int x = x0 + i % 18 - 1, y = y0 + i / 18 - 1;
            tile[i] = x < 0 || y < 0 || x >= w || y >= h ? T(0) : in[((size_t)c * h + y) * w + x];
        }
        if (threadIdx.x < 9 * M) {
            const int m = threadIdx.x / 9, k = threadIdx.x % 9;
            wt[threadIdx.x] = n0 + m < N ? bank[((size_t)(n0 + m) * C + c) * 9 + k] : T(0);
        }
        __syncthreads();
        T v[9];
#pragma unroll
        for (int k = 0; k < 9; ++k)
            v[k] = tile[(ty + k / 3) * 18 + tx + k % 3];
#pragma unroll
        for (int m = 0; m < M; ++m)
            for (int k = 0; k < 9; ++k)
                acc[m] += v[k] * wt[m * 9 + k];
    }
    const int x = x0 + tx, y = y0 + ty;
    if (x < w && y < h)
        for (int m = 0; m < M && n0 + m < N; ++m)
            out[((size_t)(n0 + m) * h + y) * w + x] = acc[m];
}
template <typename T> cudaError_t conv(const T *in, int C, int h, int w, const T *b, int N, T *o) {
    constexpr int M = 16;
    cv<T, M>
        <<<dim3((w + 15) / 16, (h + 15) / 16, (N + M - 1) / M), 256, (324 + 9 * M) * sizeof(T)>>>(
            in, C, h, w, b, N, o);
    return cudaGetLastError();
}
cudaError_t depthwise_double(const double *i, int c, int h, int w, const double *m, double *o) {
    return depth(i, c, h, w, m, o, cd);
}
cudaError_t depthwise_float(const float *i, int c, int h, int w, const float *m, float *o) {
    return depth(i, c, h, w, m, o, cf);
}
cudaError_t pointwise_double(const double *i, int c, int h, int w, const double *b, int n,
                             double *o) {
    return point(i, c, h, w, b, n, o);
}
cudaError_t pointwise_float(const float *i, int c, int h, int w, const float *b, int n, float *o) {
    return point(i, c, h, w, b, n, o);
}
cudaError_t convolution_double(const double *i, int c, int h, int w, const double *b, int n,
                               double *o) {
    return conv(i, c, h, w, b, n, o);
}
cudaError_t convolution_float(const float *i, int c, int h, int w, const float *b, int n,
                              float *o) {
    return conv(i, c, h, w, b, n, o);
}
