// zoo: right
//
// As source 004 loads: each thread takes a square of 2 x 2 places, and the block takes the mask
// into shared memory too. In D a thread computes 2 x 2 outputs from float2s, and the radius stays a
// parameter: sums in four variables, pixels shared between the two columns.
#include "lab.h"

__constant__ float c_mask[MASK_MAX_SIZE];

enum { T = 32, S = T + 2 * MASK_MAX_RADIUS };

__device__ static float value(const float *f, int w, int h, int i, int j, bool zero) {
    if (zero && (i < 0 || j < 0 || i >= h || j >= w)) {
        return 0.0f;
    }
    return f[(size_t)min(max(i, 0), h - 1) * w + min(max(j, 0), w - 1)];
}

cudaError_t set_mask(const float *h_mask, int radius) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    return cudaMemcpyToSymbol(c_mask, h_mask, (2 * radius + 1) * (2 * radius + 1) * 4);
}

__global__ void first(const float *f, int w, int h, int r, bool zero, float *out) {
    __shared__ float s[32 * 32];
    const int t = threadIdx.y * 32 + threadIdx.x, tile = 32 - 2 * r;
    const int j = (int)(blockIdx.x * tile) + (int)threadIdx.x - r;
    const int i = (int)(blockIdx.y * tile) + (int)threadIdx.y - r;
    s[t] = value(f, w, h, i, j, zero);
    __syncthreads();
    const bool idle =
        threadIdx.x < r || threadIdx.x >= 32 - r || threadIdx.y < r || threadIdx.y >= 32 - r;
    if (!idle && i < h && j < w) {
        float sum = 0.0f;
        for (int k = 0; k < (2 * r + 1) * (2 * r + 1); ++k) {
            sum += c_mask[k] * s[t + (k / (2 * r + 1) - r) * 32 + k % (2 * r + 1) - r];
        }
        out[(size_t)i * w + j] = sum;
    }
}

__global__ void second(const float *f, int w, int h, int r, bool zero, float *out) {
    __shared__ float s_mask[MASK_MAX_SIZE];
    __shared__ float s[S * S];
    const int n = 2 * r + 1, side = T + 2 * r;
    if (threadIdx.x < n && threadIdx.y < n) {
        s_mask[threadIdx.x + threadIdx.y * n] = c_mask[threadIdx.x + threadIdx.y * n];
    }
    for (int v = 2 * threadIdx.y; v < 2 * threadIdx.y + 2 && v < side; ++v) {
        for (int u = 2 * threadIdx.x; u < 2 * threadIdx.x + 2 && u < side; ++u) {
            s[v * S + u] =
                value(f, w, h, (int)(T * blockIdx.y) - r + v, (int)(T * blockIdx.x) - r + u, zero);
        }
    }
    __syncthreads();
    const int i = blockIdx.y * T + threadIdx.y, j = blockIdx.x * T + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) {
        for (int l = 0; l < n; ++l) {
            sum += s_mask[k * n + l] * s[(threadIdx.y + k) * S + threadIdx.x + l];
        }
    }
    if (i < h && j < w) {
        out[(size_t)i * w + j] = sum;
    }
}

__global__ void third(const float *f, int w, int h, const float *mask, int r, bool zero,
                      float *out) {
    extern __shared__ float s[];
    const int n = 2 * r + 1, side = T + 2 * r;
    float *const s_mask = s + side * side;
    for (int k = threadIdx.x + T * threadIdx.y; k < n * n; k += T * T) {
        s_mask[k] = mask[k];
    }
    for (int v0 = 2 * threadIdx.y; v0 < side; v0 += 2 * T) { /* squares of 2 x 2, again and again */
        for (int u0 = 2 * threadIdx.x; u0 < side; u0 += 2 * T) {
            for (int k = 0; k < 4; ++k) { /* side is even: the whole square is in the tile */
                s[(v0 + k / 2) * side + u0 + k % 2] =
                    value(f, w, h, (int)(T * blockIdx.y) - r + v0 + k / 2,
                          (int)(T * blockIdx.x) - r + u0 + k % 2, zero);
            }
        }
    }
    __syncthreads();
    const int i = blockIdx.y * T + threadIdx.y, j = blockIdx.x * T + threadIdx.x;
    if (i < h && j < w) {
        float sum = 0.0f;
        for (int k = 0; k < n; ++k) {
            for (int l = 0; l < n; ++l) {
                sum += s_mask[k * n + l] * s[(threadIdx.y + k) * side + threadIdx.x + l];
            }
        }
        out[(size_t)i * w + j] = sum;
    }
}

/* Tiles of 64 x 16: rows of 80 floats, so every second column is the place of a float2. */
__global__ void fourth(const float *f, int w, int h, int r, bool zero, float *out) {
    __shared__ float2 s[16 + 2 * MASK_MAX_RADIUS][(64 + 2 * MASK_MAX_RADIUS) / 2];
    const int n = 2 * r + 1;
    for (int v = threadIdx.y; v < 16 + 2 * r; v += 8) {
        for (int u = threadIdx.x; u < 32 + r; u += 32) {
            const int i = (int)(16 * blockIdx.y) - r + v, j = (int)(64 * blockIdx.x) - r + 2 * u;
            s[v][u] = make_float2(value(f, w, h, i, j, zero), value(f, w, h, i, j + 1, zero));
        }
    }
    __syncthreads();
    float p00 = 0, p01 = 0, p10 = 0, p11 = 0;
    for (int v = 0; v <= n; ++v) {
        const float2 *row = &s[2 * threadIdx.y + v][threadIdx.x];
        float2 pair = row[0];
        for (int l = 0; l < n; ++l) {
            float left, right;
            if (l % 2 == 0) {
                left = pair.x, right = pair.y;
            } else {
                left = pair.y;
                pair = row[l / 2 + 1];
                right = pair.x;
            }
            if (v < n) {
                p00 += left * c_mask[v * n + l], p01 += right * c_mask[v * n + l];
            }
            if (v > 0) {
                p10 += left * c_mask[(v - 1) * n + l], p11 += right * c_mask[(v - 1) * n + l];
            }
        }
    }
    const int i = 16 * blockIdx.y + 2 * threadIdx.y, j = 64 * blockIdx.x + 2 * threadIdx.x;
    const float result[2][2] = {{p00, p01}, {p10, p11}};
    for (int k = 0; k < 4; ++k) {
        if (i + k / 2 < h && j + k % 2 < w) {
            out[(size_t)(i + k / 2) * w + j + k % 2] = result[k / 2][k % 2];
        }
    }
}

static unsigned count(int pixels, int tile) {
    return (pixels + tile - 1) / tile;
}

cudaError_t correlate_idle(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    const int tile = 32 - 2 * radius;
    if (radius < 0 || radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    first<<<dim3(count(width, tile), count(height, tile)), dim3(32, 32)>>>(
        d_image, width, height, radius, border == BORDER_ZERO, d_out);
    return cudaGetLastError();
}

cudaError_t correlate_tile(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    second<<<dim3(count(width, T), count(height, T)), dim3(T, T)>>>(d_image, width, height, radius,
                                                                    border == BORDER_ZERO, d_out);
    return cudaGetLastError();
}

cudaError_t correlate_dynamic(const float *d_image, int width, int height, const float *d_mask,
                              int radius, enum border border, float *d_out) {
    int most = 0;
    cudaError_t error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    if (error != cudaSuccess) {
        return error;
    }
    if (radius < 0 || radius > 100) {
        return cudaErrorInvalidValue;
    }
    const int side = T + 2 * radius, n = 2 * radius + 1, bytes = 4 * (side * side + n * n);
    if (bytes > most) {
        return cudaErrorInvalidValue;
    }
    if ((error = cudaFuncSetAttribute(third, cudaFuncAttributeMaxDynamicSharedMemorySize, most)) !=
        cudaSuccess) {
        return error;
    }
    third<<<dim3(count(width, T), count(height, T)), dim3(T, T), bytes>>>(
        d_image, width, height, d_mask, radius, border == BORDER_ZERO, d_out);
    return cudaGetLastError();
}

cudaError_t correlate_register(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    fourth<<<dim3(count(width, 64), count(height, 16)), dim3(32, 8)>>>(
        d_image, width, height, radius, border == BORDER_ZERO, d_out);
    return cudaGetLastError();
}
