// zoo: right
//
// Flat indices everywhere; blocks of 16x16 in B with padded rows; in C four outputs a thread; in D
// a column of eight outputs, and no vector loads.
#include "lab.h"

__constant__ float c_g[MASK_MAX_SIZE];

struct image {
    const float *f;
    int w, h;
    bool zero;
};

__device__ static float at(image s, int x, int y) {
    const bool inside = x >= 0 && y >= 0 && x < s.w && y < s.h;
    if (inside) {
        return s.f[(size_t)y * s.w + x];
    }
    return s.zero ? 0.0f : s.f[(size_t)max(0, min(y, s.h - 1)) * s.w + max(0, min(x, s.w - 1))];
}

/* Fills rows x columns places, `stride` apart, from the image at (x0, y0) on. */
__device__ static void load(float *s, int rows, int columns, int stride, image f, int x0, int y0) {
    const int threads = blockDim.x * blockDim.y;
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < rows * columns; i += threads) {
        s[i / columns * stride + i % columns] = at(f, x0 + i % columns, y0 + i / columns);
    }
    __syncthreads();
}

static bool bad(int radius) {
    return radius < 0 || radius > MASK_MAX_RADIUS;
}

cudaError_t set_mask(const float *h_mask, int radius) {
    const size_t n = 2 * radius + 1;
    return bad(radius) ? cudaErrorInvalidValue
                       : cudaMemcpyToSymbol(c_g, h_mask, n * n * sizeof(float));
}

__global__ void a(image f, int r, float *out) {
    extern __shared__ float s_a[];
    const int t = threadIdx.x, side = 16 + 2 * r; /* side x side threads in one row */
    const int column = t % side, row = t / side;
    const int x = blockIdx.x * 16 + column - r, y = blockIdx.y * 16 + row - r;
    s_a[t] = at(f, x, y);
    __syncthreads();
    if (min(column, row) >= r && max(column, row) < 16 + r && x < f.w && y < f.h) {
        float sum = 0.0f;
        for (int i = 0, k = t - r * side - r; i < 2 * r + 1; i++, k += side) {
            for (int j = 0; j < 2 * r + 1; j++) {
                sum = fmaf(s_a[k + j], c_g[i * (2 * r + 1) + j], sum);
            }
        }
        out[(size_t)y * f.w + x] = sum;
    }
}

__global__ void b(image f, int r, float *out) {
    __shared__ float s_b[32 * 48]; /* rows of 48: the half warps lie in different banks */
    const int x0 = blockIdx.x * 16, y0 = blockIdx.y * 16;
    load(s_b, 16 + 2 * r, 16 + 2 * r, 48, f, x0 - r, y0 - r);
    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x < f.w && y < f.h) {
        float sum = 0.0f;
        for (int i = 0; i <= 2 * r; i++) {
            for (int j = 0; j <= 2 * r; j++) {
                sum = fmaf(s_b[(threadIdx.y + i) * 48 + threadIdx.x + j], c_g[i * (2 * r + 1) + j],
                           sum);
            }
        }
        out[(size_t)y * f.w + x] = sum;
    }
}

__global__ void c(image f, const float *mask, int r, float *out) {
    extern __shared__ float s_c[];
    const int side = 32 + 2 * r, size = 2 * r + 1;
    float *s_mask = s_c + side * side;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < size * size; i += 256) {
        s_mask[i] = mask[i];
    }
    load(s_c, side, side, side, f, blockIdx.x * 32 - r, blockIdx.y * 32 - r);
    for (int k = threadIdx.y; k < 32; k += 8) {
        const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + k;
        float sum = 0.0f;
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                sum = fmaf(s_c[(k + i) * side + threadIdx.x + j], s_mask[i * size + j], sum);
            }
        }
        if (x < f.w && y < f.h) {
            out[(size_t)y * f.w + x] = sum;
        }
    }
}

/* A thread takes 8 rows of one column; a pixel that it reads counts for up to 8 of them. */
template <int R> __global__ void d(image f, float *out) {
    __shared__ float s_d[(32 + 2 * R) * (32 + 2 * R)];
    load(s_d, 32 + 2 * R, 32 + 2 * R, 32 + 2 * R, f, blockIdx.x * 32 - R, blockIdx.y * 32 - R);
    float sum[8] = {0.0f};
#pragma unroll
    for (int j = 0; j < 2 * R + 1; j++) {
#pragma unroll
        for (int i = 0; i < 8 + 2 * R; i++) {
            const float pixel = s_d[(8 * threadIdx.y + i) * (32 + 2 * R) + threadIdx.x + j];
#pragma unroll
            for (int k = 0; k < 8; k++) {
                if (i - k >= 0 && i - k < 2 * R + 1) {
                    sum[k] = fmaf(pixel, c_g[(i - k) * (2 * R + 1) + j], sum[k]);
                }
            }
        }
    }
    const int x = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < 8; k++) {
        const int y = blockIdx.y * 32 + 8 * threadIdx.y + k;
        if (x < f.w && y < f.h) {
            out[(size_t)y * f.w + x] = sum[k];
        }
    }
}

static dim3 tiles(int w, int h, int side) {
    return dim3((w - 1) / side + 1, (h - 1) / side + 1);
}

cudaError_t correlate_idle(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    if (bad(radius)) {
        return cudaErrorInvalidValue;
    }
    const image f = {d_image, width, height, border == BORDER_ZERO};
    const int threads = (16 + 2 * radius) * (16 + 2 * radius);
    a<<<tiles(width, height, 16), threads, threads * sizeof(float)>>>(f, radius, d_out);
    return cudaGetLastError();
}

cudaError_t correlate_tile(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    if (bad(radius)) {
        return cudaErrorInvalidValue;
    }
    const image f = {d_image, width, height, border == BORDER_ZERO};
    b<<<tiles(width, height, 16), dim3(16, 16)>>>(f, radius, d_out);
    return cudaGetLastError();
}

cudaError_t correlate_dynamic(const float *d_image, int width, int height, const float *d_mask,
                              int radius, enum border border, float *d_out) {
    const image f = {d_image, width, height, border == BORDER_ZERO};
    const double side = 32.0 + 2.0 * radius, size = 2.0 * radius + 1.0;
    const double bytes = 4.0 * (side * side + size * size);
    if (radius < 0 || bytes > 1e9) { /* what is less, the runtime refuses with the same error */
        return cudaErrorInvalidValue;
    }
    const cudaError_t error =
        cudaFuncSetAttribute(c, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (error != cudaSuccess) {
        return error;
    }
    c<<<tiles(width, height, 32), dim3(32, 8), (size_t)bytes>>>(f, d_mask, radius, d_out);
    return cudaGetLastError();
}

template <int R> static void launch(image f, int radius, float *d_out) {
    if (radius == R) {
        d<R><<<tiles(f.w, f.h, 32), dim3(32, 4)>>>(f, d_out);
    } else if constexpr (R < MASK_MAX_RADIUS) {
        launch<R + 1>(f, radius, d_out);
    }
}

cudaError_t correlate_register(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    if (bad(radius)) {
        return cudaErrorInvalidValue;
    }
    launch<0>({d_image, width, height, border == BORDER_ZERO}, radius, d_out);
    return cudaGetLastError();
}
