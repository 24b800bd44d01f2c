// zoo: right
//
// Taps column by column with fmaf(). In part B a thread computes four neighbouring pixels, one of
// each phase, so every lane reads the same coefficients.
#include "lab.h"

__constant__ float c_g[MASK_MAX_SIZE];
__constant__ float c_b[PHASES][MASK_MAX_SIZE];

static bool bad(int radius) {
    return radius < 0 || radius > MASK_MAX_RADIUS;
}

__device__ static float at(const float *f, int w, int h, int x, int y, bool replicate) {
    if (replicate) {
        x = x < 0 ? 0 : x >= w ? w - 1 : x;
        y = y < 0 ? 0 : y >= h ? h - 1 : y;
    } else if (x < 0 || y < 0 || x >= w || y >= h) {
        return 0.0f;
    }
    return f[(size_t)y * w + x];
}

cudaError_t set_mask(const float *h_mask, int radius) {
    const int n = 2 * radius + 1;
    return bad(radius) ? cudaErrorInvalidValue
                       : cudaMemcpyToSymbol(c_g, h_mask, n * n * sizeof *h_mask);
}

cudaError_t set_bank(const float *h_bank, int radius) {
    const int n = 2 * radius + 1;
    if (bad(radius)) {
        return cudaErrorInvalidValue;
    }
    for (int i = 0; i < PHASES; i++) { /* each mask to the beginning of its own row */
        const cudaError_t error =
            cudaMemcpyToSymbol(c_b, h_bank + i * n * n, n * n * sizeof(float),
                               i * MASK_MAX_SIZE * sizeof(float), cudaMemcpyHostToDevice);
        if (error != cudaSuccess) {
            return error;
        }
    }
    return cudaSuccess;
}

__global__ void one(const float *f, int w, int h, int r, bool replicate, float *out) {
    const int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y;
    if (y < h) {
        float sum = 0.0f;
        for (int a = r; a >= -r; --a) {
            for (int b = -r; b <= r; ++b) {
                sum = fmaf(c_g[(b + r) * (2 * r + 1) + a + r], at(f, w, h, x + a, y + b, replicate),
                           sum);
            }
        }
        out[(size_t)y * w + x] = sum;
    }
}

__global__ void four(const float *f, int w, int h, int r, bool replicate, float *out) {
    const int x = PHASES * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y;
    float sum[PHASES] = {0.0f};
    for (int b = -r; b <= r; ++b) {
        for (int a = -r; a <= r; ++a) {
            for (int i = 0; i < PHASES; ++i) {
                sum[i] = fmaf(c_b[i][(b + r) * (2 * r + 1) + a + r],
                              at(f, w, h, x + i + a, y + b, replicate), sum[i]);
            }
        }
    }
    for (int i = 0; i < PHASES; ++i) {
        if (x + i < w) {
            out[(size_t)y * w + x + i] = sum[i];
        }
    }
}

cudaError_t correlate_constant(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    if (bad(radius)) {
        return cudaErrorInvalidValue;
    }
    one<<<dim3((height + 63) / 64, width), 64>>>(d_image, width, height, radius,
                                                 border == BORDER_REPLICATE, d_out);
    return cudaGetLastError();
}

cudaError_t correlate_polyphase(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_out) {
    if (bad(radius)) {
        return cudaErrorInvalidValue;
    }
    four<<<dim3((width + 4 * 64 - 1) / (4 * 64), height), 64>>>(d_image, width, height, radius,
                                                                border == BORDER_REPLICATE, d_out);
    return cudaGetLastError();
}
