// zoo: right
//
// Border and direction are template parameters. The fused kernel keeps a ring of rows of the row
// pass in shared memory and slides down the image, one barrier a row. The lines lie in shared memory
// too, copied there by each block.
#include "lab.h"

#include <cmath>

namespace {

__device__ float d_lines[2][LINE_MAX_LENGTH]; // 0: column, 1: row

template <border BORDER>
__device__ float fetch(const float *f, int w, int h, int x, int y) {
    if constexpr (BORDER == BORDER_ZERO) {
        return (unsigned)x < (unsigned)w && (unsigned)y < (unsigned)h ? f[(size_t)y * w + x] : 0.f;
    } else {
        return f[(size_t)max(0, min(y, h - 1)) * w + max(0, min(x, w - 1))];
    }
}

constexpr int WIDE = 64, HIGH = 16, R = MASK_MAX_RADIUS;

template <border BORDER>
__global__ void row_pass(const float *f, int w, int h, int r, float *out) {
    __shared__ float s_line[LINE_MAX_LENGTH], s[4][WIDE + 2 * R];
    const int x = blockIdx.x * WIDE + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (threadIdx.y == 0 && threadIdx.x <= 2 * r) {
        s_line[threadIdx.x] = d_lines[1][threadIdx.x];
    }
    s[threadIdx.y][threadIdx.x + r] = fetch<BORDER>(f, w, h, x, y);
    if (threadIdx.x < r) {
        s[threadIdx.y][threadIdx.x] = fetch<BORDER>(f, w, h, x - r, y);
        s[threadIdx.y][threadIdx.x + WIDE + r] = fetch<BORDER>(f, w, h, x + WIDE, y);
    }
    __syncthreads();
    float sum = 0.f;
    for (int a = 0; a <= 2 * r; a++) {
        sum += s_line[a] * s[threadIdx.y][threadIdx.x + a];
    }
    if (x < w && y < h) {
        out[(size_t)y * w + x] = sum;
    }
}

template <border BORDER>
__global__ void column_pass(const float *f, int w, int h, int r, float *out) {
    __shared__ float s_line[LINE_MAX_LENGTH], s[HIGH + 2 * R][WIDE];
    const int x = blockIdx.x * WIDE + threadIdx.x, top = blockIdx.y * HIGH;
    if (threadIdx.y == 0 && threadIdx.x <= 2 * r) {
        s_line[threadIdx.x] = d_lines[0][threadIdx.x];
    }
    for (int v = threadIdx.y; v < HIGH + 2 * r; v += 4) {
        s[v][threadIdx.x] = fetch<BORDER>(f, w, h, x, top + v - r);
    }
    __syncthreads();
    for (int v = threadIdx.y; v < HIGH && top + v < h && x < w; v += 4) {
        float sum = 0.f;
        for (int b = 0; b <= 2 * r; b++) {
            sum += s_line[b] * s[v + b][threadIdx.x];
        }
        out[(size_t)(top + v) * w + x] = sum;
    }
}

template <border BORDER>
__global__ void fused(const float *f, int w, int h, int r, float *out) {
    __shared__ float s_line[2][LINE_MAX_LENGTH], s_row[2][WIDE + 2 * R];
    __shared__ float s_ring[LINE_MAX_LENGTH][WIDE]; // rows of the row pass, the newest over the oldest
    const int t = threadIdx.x, x = blockIdx.x * WIDE + t, size = 2 * r + 1;
    const int top = blockIdx.y * 2 * HIGH, bottom = min(top + 2 * HIGH, h);
    if (t < size) {
        s_line[0][t] = d_lines[0][t];
        s_line[1][t] = d_lines[1][t];
    }
    for (int y = top - r, n = 0; y < bottom + r; y++, n++) {
        float *row = s_row[n % 2]; // two, so that one barrier a row is enough
        for (int i = t; i < WIDE + 2 * r; i += WIDE) {
            row[i] = fetch<BORDER>(f, w, h, (int)blockIdx.x * WIDE + i - r, y);
        }
        __syncthreads();
        float sum = 0.f;
        for (int a = 0; a < size; a++) {
            sum += s_line[1][a] * row[t + a];
        }
        s_ring[n % size][t] = sum; // only this thread reads its column of the ring
        if (n >= 2 * r && x < w) {
            float down = 0.f;
            for (int b = 0; b < size; b++) {
                down += s_line[0][b] * s_ring[(n + 1 + b) % size][t];
            }
            out[(size_t)(y - r) * w + x] = down;
        }
    }
}

} // namespace

cudaError_t set_lines(const float *h_column, const float *h_row, int radius) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    const size_t bytes = (2 * radius + 1) * sizeof(float);
    if (auto error = cudaMemcpyToSymbol(d_lines, h_column, bytes)) {
        return error;
    }
    return cudaMemcpyToSymbol(d_lines, h_row, bytes, sizeof(float) * LINE_MAX_LENGTH);
}

cudaError_t correlate_rows(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    const dim3 grid((width + WIDE - 1) / WIDE, (height + 3) / 4), block(WIDE, 4);
    if (border == BORDER_ZERO) {
        row_pass<BORDER_ZERO><<<grid, block>>>(d_image, width, height, radius, d_out);
    } else {
        row_pass<BORDER_REPLICATE><<<grid, block>>>(d_image, width, height, radius, d_out);
    }
    return cudaGetLastError();
}

cudaError_t correlate_columns(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_out) {
    const dim3 grid((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH), block(WIDE, 4);
    if (border == BORDER_ZERO) {
        column_pass<BORDER_ZERO><<<grid, block>>>(d_image, width, height, radius, d_out);
    } else {
        column_pass<BORDER_REPLICATE><<<grid, block>>>(d_image, width, height, radius, d_out);
    }
    return cudaGetLastError();
}

enum separation separate(const float *h_mask, int radius, float *h_column, float *h_row,
                         struct contradiction *why) {
    const int size = 2 * radius + 1;
    int best = 0;
    for (int i = 1; i < size * size; i++) {
        best = std::abs(h_mask[i]) > std::abs(h_mask[best]) ? i : best;
    }
    const double pivot = h_mask[best] ? h_mask[best] : 1.0;
    const double share = std::sqrt(std::abs(pivot)); // both lines get a part of the factor
    for (int i = 0; i < size; i++) {
        h_column[i] = float(h_mask[i * size + best % size] / share);
        h_row[i] = float(h_mask[best / size * size + i] / pivot * share);
    }
    for (int b = -radius; b <= radius; b++) {
        for (int a = -radius; a <= radius; a++) {
            const double made = (double)h_column[b + radius] * h_row[a + radius];
            const double g = h_mask[(b + radius) * size + a + radius];
            if (std::abs(made - g) > SEPARABLE_TOLERANCE * std::abs(g)) {
                *why = contradiction{a, b, best % size - radius, best / size - radius};
                return NOT_SEPARABLE;
            }
        }
    }
    return SEPARABLE;
}

cudaError_t correlate_separable(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_between, float *d_out) {
    if (auto error = correlate_rows(d_image, width, height, radius, border, d_between)) {
        return error;
    }
    return correlate_columns(d_between, width, height, radius, border, d_out);
}

cudaError_t correlate_fused(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_out) {
    const dim3 grid((width + WIDE - 1) / WIDE, (height + 2 * HIGH - 1) / (2 * HIGH));
    if (border == BORDER_ZERO) {
        fused<BORDER_ZERO><<<grid, WIDE>>>(d_image, width, height, radius, d_out);
    } else {
        fused<BORDER_REPLICATE><<<grid, WIDE>>>(d_image, width, height, radius, d_out);
    }
    return cudaGetLastError();
}
