// zoo: right
//
// The coefficients lie in constant memory as columns, turned on the host, and set_mask() waits for
// the device; a thread computes eight pixels, one below the other, in double.
#include "lab.h"

#define SIDE (2 * MASK_MAX_RADIUS + 1)
enum { HIGH = 8 };

__constant__ float c_columns[SIDE * SIDE];
__constant__ float c_bank_columns[PHASES][SIDE * SIDE];

/* `masks` masks, each turned, to the symbol. */
template <typename Symbol>
static cudaError_t turn_and_copy(const Symbol &symbol, const float *masks, int count, int radius) {
    static float turned[PHASES][SIDE * SIDE];
    if ((unsigned)radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    const int size = 2 * radius + 1;
    for (int m = 0; m < count; m++) {
        for (int i = 0; i < size * size; i++) {
            turned[m][i % size * size + i / size] = *masks++;
        }
    }
    const cudaError_t error = cudaMemcpyToSymbol(symbol, turned, count * sizeof turned[0]);
    const cudaError_t waited = cudaDeviceSynchronize();
    return error != cudaSuccess ? error : waited;
}

cudaError_t set_mask(const float *h_mask, int radius) {
    return turn_and_copy(c_columns, h_mask, 1, radius);
}

cudaError_t set_bank(const float *h_bank, int radius) {
    return turn_and_copy(c_bank_columns, h_bank, PHASES, radius);
}

/* The sums of HIGH pixels from (x, y) downwards; column: of coefficients. */
static __device__ void go_down(const float *image, int width, int height, int radius,
                               enum border border, const float *column, int x, int y, float *out) {
    if (x >= width) {
        return;
    }
    for (int i = 0; i < HIGH && y + i < height; i++) {
        double sum = 0.0;
        const float *next = column;
        for (int a = -radius; a <= radius; a++) {
            const int u = min(max(x + a, 0), width - 1);
            for (int b = -radius; b <= radius; b++, next++) {
                const int v = min(max(y + i + b, 0), height - 1);
                if (border == BORDER_REPLICATE || (u == x + a && v == y + i + b)) {
                    sum += (double)image[(size_t)v * width + u] * *next;
                }
            }
        }
        out[(size_t)(y + i) * width + x] = (float)sum;
    }
}

__global__ void one_mask(const float *image, int width, int height, int radius, enum border border,
                         float *out) {
    go_down(image, width, height, radius, border, c_columns, blockIdx.x * 64 + threadIdx.x,
            blockIdx.y * HIGH, out);
}

__global__ void four_masks(const float *image, int width, int height, int radius,
                           enum border border, float *out) {
    const int phase = threadIdx.x / 32;
    const int x = (blockIdx.x * 32 + threadIdx.x % 32) * PHASES + phase;
    go_down(image, width, height, radius, border, c_bank_columns[phase], x, blockIdx.y * HIGH, out);
}

cudaError_t correlate_constant(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    if ((unsigned)radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    const dim3 grid((width + 63) / 64, (height + HIGH - 1) / HIGH);
    one_mask<<<grid, 64>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
}

cudaError_t correlate_polyphase(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_out) {
    if ((unsigned)radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    const dim3 grid((width + 127) / 128, (height + HIGH - 1) / HIGH);
    four_masks<<<grid, 32 * PHASES>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
}
