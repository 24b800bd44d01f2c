// zoo: right
//
// The masks are copied to the address of the symbol, which is asked for at each call, with goto
// where it fails. The kernels recurse over the rows of the mask at compile time.
#include "lab.h"

__constant__ float c_all[(1 + PHASES) * MASK_MAX_SIZE]; /* the mask, then the bank */

static cudaError_t put(const float *source, int radius, size_t first, size_t masks) {
    void *address = NULL;
    cudaError_t error = cudaErrorInvalidValue;
    size_t bytes;

    if (!(0 <= radius && radius <= MASK_MAX_RADIUS)) {
        goto failed;
    }
    error = cudaGetSymbolAddress(&address, c_all);
    if (error != cudaSuccess) {
        goto failed;
    }
    bytes = masks * (2 * radius + 1) * (2 * radius + 1) * sizeof(float);
    error = cudaMemcpyToSymbol(c_all, source, bytes, first * sizeof(float));
    if (error != cudaSuccess) {
        goto failed;
    }
    return cudaDeviceSynchronize();
failed:
    return error;
}

cudaError_t set_mask(const float *h_mask, int radius) {
    return put(h_mask, radius, 0, 1);
}

cudaError_t set_bank(const float *h_bank, int radius) {
    return put(h_bank, radius, MASK_MAX_SIZE, PHASES);
}

struct spot {
    const float *image;
    int width, height, x, y;
    enum border border;
};

inline __device__ float value(const struct spot &s, int a, int b) {
    int u = s.x + a, v = s.y + b;
    if (s.border == BORDER_REPLICATE) {
        u = u < 0 ? 0 : u >= s.width ? s.width - 1 : u;
        v = v < 0 ? 0 : v >= s.height ? s.height - 1 : v;
    }
    const bool exists = u >= 0 && u < s.width && v >= 0 && v < s.height;
    return exists ? s.image[(size_t)v * s.width + u] : 0.0f;
}

/* The sum of row B of the mask and of those below. */
template <int RADIUS, int B> struct rows {
    static __device__ float sum(const struct spot &s, const float *row) {
        float total = 0.0f;
        for (int a = -RADIUS; a <= RADIUS; a++) {
            total += row[a + RADIUS] * value(s, a, B);
        }
        return total + rows<RADIUS, B + 1>::sum(s, row + 2 * RADIUS + 1);
    }
};

template <int RADIUS> struct rows<RADIUS, RADIUS> {
    static __device__ float sum(const struct spot &s, const float *row) {
        float total = 0.0f;
        for (int a = -RADIUS; a <= RADIUS; a++) {
            total += row[a + RADIUS] * value(s, a, RADIUS);
        }
        return total;
    }
};

/* Blocks of PHASES warps. Part A: a warp has every column; part B: those of its phase. */
template <int RADIUS, bool BANK>
__global__ void correlate(const float *image, int width, int height, enum border border,
                          float *out) {
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const int x = blockIdx.y * 32 * PHASES + (BANK ? lane * PHASES + warp : threadIdx.x);
    const struct spot s = {image, width, height, x, (int)blockIdx.x, border};
    const int size = 2 * RADIUS + 1;
    if (x < width) {
        const float *mask = c_all + (BANK ? MASK_MAX_SIZE + warp * size * size : 0);
        out[(size_t)s.y * width + x] = rows<RADIUS, -RADIUS>::sum(s, mask);
    }
}

template <bool BANK, int RADIUS>
static cudaError_t launch(const float *image, int width, int height, int radius,
                          enum border border, float *out) {
    if (radius < RADIUS) {
        return cudaErrorInvalidValue;
    }
    if constexpr (RADIUS < MASK_MAX_RADIUS) {
        if (radius > RADIUS) {
            return launch<BANK, RADIUS + 1>(image, width, height, radius, border, out);
        }
    } else if (radius > RADIUS) {
        return cudaErrorInvalidValue;
    }
    const dim3 grid(height, (width + 32 * PHASES - 1) / (32 * PHASES));
    correlate<RADIUS, BANK><<<grid, 32 * PHASES>>>(image, width, height, border, out);
    return cudaGetLastError();
}

cudaError_t correlate_constant(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    return launch<false, 0>(d_image, width, height, radius, border, d_out);
}

cudaError_t correlate_polyphase(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_out) {
    return launch<true, 0>(d_image, width, height, radius, border, d_out);
}
