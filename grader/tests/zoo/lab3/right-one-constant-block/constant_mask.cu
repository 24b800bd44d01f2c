// zoo: right
//
// Masks and bank are one structure in constant memory, which is kept on the host as well and
// copied whole after each change; where the copy fails, the host's copy goes back to what it was.
// Sums are those of the rows' sums, from the last row to the first.
#include "lab.h"

#include <string.h>

enum { COUNT = MASK_MAX_SIZE };

struct masks {
    float one[COUNT];
    float bank[PHASES * COUNT];
};

__constant__ struct masks c_masks;
static struct masks on_host;

static bool refused(int radius) {
    switch (radius) {
    case 0: case 1: case 2: case 3: case 4: case 5: case 6: case 7: case 8:
        return false;
    default:
        return true;
    }
}

static cudaError_t change(float *part, const float *source, int masks, int radius) {
    static struct masks before;
    if (refused(radius)) {
        return cudaErrorInvalidValue;
    }
    before = on_host;
    memcpy(part, source, sizeof(float) * masks * (2 * radius + 1) * (2 * radius + 1));
    const cudaError_t error = cudaMemcpyToSymbol(c_masks, &on_host, sizeof on_host);
    if (error != cudaSuccess) {
        on_host = before;
    }
    return error;
}

cudaError_t set_mask(const float *h_mask, int radius) {
    return change(on_host.one, h_mask, 1, radius);
}

cudaError_t set_bank(const float *h_bank, int radius) {
    return change(on_host.bank, h_bank, PHASES, radius);
}

static __device__ float zero_outside(const float *image, int width, int height, int radius,
                                     const float *middle, int x, int y) {
    float sum = 0.0f;
    for (int b = radius; b >= -radius; b--) {
        float part = 0.0f;
        for (int a = -radius; a <= radius; a++) {
            const float coefficient = middle[b * (2 * radius + 1) + a];
            const bool inside = x + a >= 0 && x + a < width && y + b >= 0 && y + b < height;
            part = fmaf(inside ? image[(size_t)(y + b) * width + (x + a)] : 0.0f, coefficient, part);
        }
        sum += part;
    }
    return sum;
}

static __device__ float nearest_outside(const float *image, int width, int height, int radius,
                                        const float *middle, int x, int y) {
    float sum = 0.0f;
    for (int b = -radius; b <= radius; b++) {
        const float *row = image + (size_t)min(max(y + b, 0), height - 1) * width;
        float part = 0.0f;
        for (int a = -radius; a <= radius; a++) {
            part += row[min(max(x + a, 0), width - 1)] * middle[b * (2 * radius + 1) + a];
        }
        sum += part;
    }
    return sum;
}

__global__ void filter(const float *image, int width, int height, int radius, enum border border,
                       float *out, bool of_bank) {
    const int size = 2 * radius + 1, middle = radius * size + radius;
    const int phase = of_bank ? threadIdx.y % PHASES : 0, step = of_bank ? PHASES : 1;
    const int y = of_bank ? blockIdx.y * 2 + threadIdx.y / PHASES : blockIdx.y * 8 + threadIdx.y;
    const float *mask = of_bank ? c_masks.bank + phase * size * size : c_masks.one;
    for (int x = (blockIdx.x * 32 + threadIdx.x) * step + phase; x < width && y < height;
         x += gridDim.x * 32 * step) {
        out[(size_t)y * width + x] =
            border == BORDER_ZERO
                ? zero_outside(image, width, height, radius, mask + middle, x, y)
                : nearest_outside(image, width, height, radius, mask + middle, x, y);
    }
}

static cudaError_t launch(const float *image, int width, int height, int radius,
                          enum border border, float *out, bool of_bank) {
    if (refused(radius)) {
        return cudaErrorInvalidValue;
    }
    const int columns = of_bank ? 128 : 32, rows = of_bank ? 2 : 8;
    const dim3 grid((width + columns - 1) / columns, (height + rows - 1) / rows);
    filter<<<grid, dim3(32, 8)>>>(image, width, height, radius, border, out, of_bank);
    return cudaGetLastError();
}

cudaError_t correlate_constant(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    return launch(d_image, width, height, radius, border, d_out, false);
}

cudaError_t correlate_polyphase(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_out) {
    return launch(d_image, width, height, radius, border, d_out, true);
}
