// zoo: right
//
// A 1-D grid that strides over the pixels. Part B launches once for each phase, over that phase's
// columns, so every thread of a launch reads the same mask; `first` says where it begins.
#include "lab.h"

__constant__ float c_all[PHASES * MASK_MAX_SIZE];
__constant__ float c_single[MASK_MAX_SIZE];

struct picture {
    const float *in;
    float *out;
    int width, height, radius;
    enum border border;
};

__device__ float correlated(struct picture p, const float *coefficients, int x, int y) {
    const int size = 2 * p.radius + 1;
    float sum = 0.0f;
    for (int v = 0; v < size; v++) {
        const int row = y + v - p.radius;
        if ((row < 0 || row >= p.height) && p.border == BORDER_ZERO) {
            continue;
        }
        const float *line = p.in + (size_t)min(max(row, 0), p.height - 1) * p.width;
        for (int u = 0; u < size; u++) {
            const int column = x + u - p.radius;
            if (column >= 0 && column < p.width) {
                sum += line[column] * coefficients[v * size + u];
            } else if (p.border == BORDER_REPLICATE) {
                sum += line[column < 0 ? 0 : p.width - 1] * coefficients[v * size + u];
            }
        }
    }
    return sum;
}

__global__ void all_columns(struct picture p) {
    const size_t pixels = (size_t)p.width * p.height, step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < pixels; i += step) {
        p.out[i] = correlated(p, c_single, (int)(i % p.width), (int)(i / p.width));
    }
}

__global__ void columns_of(struct picture p, int phase, int first) {
    const int columns = (p.width - phase + PHASES - 1) / PHASES;
    const size_t pixels = (size_t)columns * p.height, step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < pixels; i += step) {
        const int x = phase + PHASES * (int)(i % columns), y = (int)(i / columns);
        p.out[(size_t)y * p.width + x] = correlated(p, c_all + first, x, y);
    }
}

cudaError_t set_mask(const float *h_mask, int radius) {
    if ((unsigned)radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    return cudaMemcpyToSymbol(c_single, h_mask,
                              sizeof(float) * (2 * radius + 1) * (2 * radius + 1));
}

cudaError_t set_bank(const float *h_bank, int radius) {
    if ((unsigned)radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    return cudaMemcpyToSymbol(c_all, h_bank,
                              sizeof(float) * PHASES * (2 * radius + 1) * (2 * radius + 1));
}

cudaError_t correlate_constant(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    if ((unsigned)radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    const struct picture p = {d_image, d_out, width, height, radius, border};
    all_columns<<<96, 256>>>(p);
    return cudaGetLastError();
}

cudaError_t correlate_polyphase(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_out) {
    if ((unsigned)radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    const struct picture p = {d_image, d_out, width, height, radius, border};
    for (int phase = 0; phase < PHASES && phase < width; phase++) {
        columns_of<<<96, 256>>>(p, phase, phase * (2 * radius + 1) * (2 * radius + 1));
        const cudaError_t error = cudaGetLastError();
        if (error != cudaSuccess) {
            return error;
        }
    }
    return cudaSuccess;
}
