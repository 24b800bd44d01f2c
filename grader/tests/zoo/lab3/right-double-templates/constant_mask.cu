// zoo: right
//
// Sums in double, the radius a template parameter, flat blocks of 128 threads: in part B warp w of
// a block takes the columns of phase w.
#include "lab.h"

__constant__ float c_coefficients[(PHASES + 1) * MASK_MAX_SIZE]; /* the bank, then part A's mask */

template <int R>
__device__ double sum_of(const float *in, int width, int height, bool zero, int x, int y,
                         const float *mask) {
    double sum = 0.0;
#pragma unroll 1
    for (int b = -R; b <= R; ++b) {
        for (int a = -R; a <= R; ++a) {
            const int u = max(0, min(x + a, width - 1)), v = max(0, min(y + b, height - 1));
            if (!zero || (u == x + a && v == y + b)) {
                sum += (double)in[(size_t)v * width + u] * mask[(b + R) * (2 * R + 1) + a + R];
            }
        }
    }
    return sum;
}

template <int R, bool POLYPHASE>
__global__ void flat(const float *in, int width, int height, bool zero, float *out) {
    const int t = threadIdx.x;
    const int phase = POLYPHASE ? t / 32 : 0;
    const int x = blockIdx.x * 128 + (POLYPHASE ? PHASES * (t % 32) + phase : t);
    const int y = blockIdx.y;
    if (x < width) {
        const int first = POLYPHASE ? phase * (2 * R + 1) * (2 * R + 1) : PHASES * MASK_MAX_SIZE;
        const float *mask = c_coefficients + first;
        out[(size_t)y * width + x] = (float)sum_of<R>(in, width, height, zero, x, y, mask);
    }
}

template <int R, bool POLYPHASE>
static cudaError_t launch(const float *in, int width, int height, int radius, bool zero,
                          float *out) {
    if (radius == R) {
        flat<R, POLYPHASE>
            <<<dim3((width + 127) / 128, height), 128>>>(in, width, height, zero, out);
        return cudaGetLastError();
    }
    if constexpr (R < MASK_MAX_RADIUS) {
        return launch<R + 1, POLYPHASE>(in, width, height, radius, zero, out);
    } else {
        return cudaErrorInvalidValue;
    }
}

static cudaError_t set(const float *values, int radius, int masks) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    const size_t side = 2 * radius + 1;
    const size_t first = masks == 1 ? PHASES * MASK_MAX_SIZE : 0;
    return cudaMemcpyToSymbol(c_coefficients, values, masks * side * side * sizeof(float),
                              first * sizeof(float));
}

cudaError_t set_mask(const float *h_mask, int radius) {
    return set(h_mask, radius, 1);
}

cudaError_t set_bank(const float *h_bank, int radius) {
    return set(h_bank, radius, PHASES);
}

cudaError_t correlate_constant(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    return launch<0, false>(d_image, width, height, radius, border == BORDER_ZERO, d_out);
}

cudaError_t correlate_polyphase(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_out) {
    return launch<0, true>(d_image, width, height, radius, border == BORDER_ZERO, d_out);
}
