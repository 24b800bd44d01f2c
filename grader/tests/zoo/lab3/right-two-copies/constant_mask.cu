// zoo: right
//
// Constant memory has two places for the mask: set_mask() writes the one that is not in use, and
// changes over only once the copy has succeeded. Part B copies the bank mask by mask, each to rows
// of 20 words, and waits for each.
#include "lab.h"

enum { PITCH = 20, ROOM = PITCH * (2 * MASK_MAX_RADIUS + 1) };

__constant__ float c_mask[2][MASK_MAX_SIZE];
__constant__ float c_bank[PHASES][ROOM];
static int in_use;

cudaError_t set_mask(const float *h_mask, int radius) {
    if (radius > MASK_MAX_RADIUS || radius <= -1) {
        return cudaErrorInvalidValue;
    }
    const size_t bytes = sizeof(float) * (2 * radius + 1) * (2 * radius + 1);
    const int other = 1 - in_use;
    cudaError_t error = cudaMemcpyToSymbol(c_mask, h_mask, bytes, other * sizeof c_mask[0],
                                           cudaMemcpyHostToDevice);
    if (!error) {
        error = cudaDeviceSynchronize();
    }
    if (!error) {
        in_use = other;
    }
    return error;
}

cudaError_t set_bank(const float *h_bank, int radius) {
    if (radius > MASK_MAX_RADIUS || radius <= -1) {
        return cudaErrorInvalidValue;
    }
    const int size = 2 * radius + 1;
    for (int phase = 0; phase < PHASES; phase++) {
        float rows[ROOM] = {0};
        for (int i = 0; i < size * size; i++) {
            rows[i / size * PITCH + i % size] = h_bank[phase * size * size + i];
        }
        const cudaError_t error =
            cudaMemcpyToSymbol(c_bank, rows, sizeof rows, phase * sizeof rows);
        if (error) {
            return error;
        }
    }
    return cudaSuccess;
}

/* `first`: the coefficient of tap (-radius, -radius); rows of `pitch` coefficients. */
inline __device__ void one_pixel(const float *image, int width, int height, int radius,
                                 enum border border, const float *first, int pitch, int x, int y,
                                 float *out) {
    if (x >= width || y >= height) {
        return;
    }
    float even = 0.0f, odd = 0.0f;
    for (int b = 0; b <= 2 * radius; b++) {
        for (int a = 0; a <= 2 * radius; a++) {
            const int u = x + a - radius, v = y + b - radius;
            const int near_u = max(0, min(u, width - 1)), near_v = max(0, min(v, height - 1));
            const bool counts = border == BORDER_REPLICATE || (u == near_u && v == near_v);
            const float f = counts ? image[(size_t)near_v * width + near_u] : 0.0f;
            ((a + b) % 2 ? odd : even) += f * first[b * pitch + a];
        }
    }
    out[(size_t)y * width + x] = even + odd;
}

__global__ void columns_16(const float *image, int width, int height, int radius,
                           enum border border, float *out, int which) {
    one_pixel(image, width, height, radius, border, c_mask[which], 2 * radius + 1,
              blockIdx.x * 16 + threadIdx.x, blockIdx.y * 16 + threadIdx.y, out);
}

__global__ void phases(const float *image, int width, int height, int radius, enum border border,
                       float *out) {
    for (int phase = 0; phase < PHASES; phase++) {
        one_pixel(image, width, height, radius, border, c_bank[phase], PITCH,
                  (blockIdx.x * 32 + threadIdx.x) * PHASES + phase, blockIdx.y * 4 + threadIdx.y,
                  out);
    }
}

cudaError_t correlate_constant(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    if (radius > MASK_MAX_RADIUS || radius <= -1) {
        return cudaErrorInvalidValue;
    }
    columns_16<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(
        d_image, width, height, radius, border, d_out, in_use);
    return cudaGetLastError();
}

cudaError_t correlate_polyphase(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_out) {
    if (radius > MASK_MAX_RADIUS || radius <= -1) {
        return cudaErrorInvalidValue;
    }
    phases<<<dim3((width + 127) / 128, (height + 3) / 4), dim3(32, 4)>>>(d_image, width, height,
                                                                         radius, border, d_out);
    return cudaGetLastError();
}
