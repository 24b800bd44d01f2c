// zoo: right
//
// Blocks of 16x16 and dynamic shared memory sized by the radius. The fused kernel takes the columns
// first. separate() starts from the row with the largest sum of magnitudes.
#include "lab.h"

#include <cmath>

constexpr int B = 16;
__constant__ float c_lines[2][LINE_MAX_LENGTH];

cudaError_t set_lines(const float *h_column, const float *h_row, int radius) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    float both[2][LINE_MAX_LENGTH] = {};
    for (int i = 0; i <= 2 * radius; ++i) {
        both[0][i] = h_column[i];
        both[1][i] = h_row[i];
    }
    return cudaMemcpyToSymbol(c_lines, both, sizeof both);
}

__device__ float load(const float *f, int w, int h, int x, int y, bool zero) {
    if (zero && (x < 0 || y < 0 || x >= w || y >= h)) {
        return 0.0f;
    }
    return f[(size_t)min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)];
}

__global__ void one_line(const float *f, int w, int h, int r, int along_x, bool zero, float *out) {
    extern __shared__ float s[];
    const int across = along_x ? B + 2 * r : B, down = along_x ? B : B + 2 * r;
    const int x0 = blockIdx.x * B - (along_x ? r : 0), y0 = blockIdx.y * B - (along_x ? 0 : r);
    for (int i = threadIdx.y * B + threadIdx.x; i < across * down; i += B * B) {
        s[i] = load(f, w, h, x0 + i % across, y0 + i / across, zero);
    }
    __syncthreads();
    const int x = blockIdx.x * B + threadIdx.x, y = blockIdx.y * B + threadIdx.y;
    if (x < w && y < h) {
        const float *from = s + threadIdx.y * across + threadIdx.x;
        const int step = along_x ? 1 : across;
        float sum = 0;
        for (int k = 2 * r; k >= 0; --k) {
            sum += c_lines[along_x][k] * from[k * step];
        }
        out[(size_t)y * w + x] = sum;
    }
}

static dim3 grid(int w, int h) {
    return dim3((w - 1) / B + 1, (h - 1) / B + 1);
}

cudaError_t correlate_rows(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    const size_t bytes = sizeof(float) * B * (B + 2 * radius);
    one_line<<<grid(width, height), dim3(B, B), bytes>>>(d_image, width, height, radius, 1,
                                                        border == BORDER_ZERO, d_out);
    return cudaPeekAtLastError();
}

cudaError_t correlate_columns(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_out) {
    const size_t bytes = sizeof(float) * B * (B + 2 * radius);
    one_line<<<grid(width, height), dim3(B, B), bytes>>>(d_image, width, height, radius, 0,
                                                        border == BORDER_ZERO, d_out);
    return cudaPeekAtLastError();
}

enum separation separate(const float *h_mask, int radius, float *h_column, float *h_row,
                         struct contradiction *why) {
    const int n = 2 * radius + 1;
    int q = 0, p = 0;
    double best = -1;
    for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int i = 0; i < n; ++i) {
            sum += std::fabs((double)h_mask[j * n + i]);
        }
        if (sum > best) {
            best = sum;
            q = j;
        }
    }
    for (int i = 0; i < n; ++i) {
        if (std::fabs(h_mask[q * n + i]) > std::fabs(h_mask[q * n + p])) {
            p = i;
        }
    }
    const float pivot = h_mask[q * n + p];
    for (int i = 0; i < n; ++i) {
        h_row[i] = h_mask[q * n + i];
        h_column[i] = pivot == 0 ? 0 : h_mask[i * n + p] / pivot;
    }
    for (int i = 0; i < n * n; ++i) {
        const double g = h_mask[i], made = (double)h_column[i / n] * h_row[i % n];
        if (std::fabs(g - made) > SEPARABLE_TOLERANCE * std::fabs(g)) {
            *why = {i % n - radius, i / n - radius, p - radius, q - radius};
            return NOT_SEPARABLE;
        }
    }
    return SEPARABLE;
}

cudaError_t correlate_separable(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_between, float *d_out) {
    cudaError_t error = correlate_columns(d_image, width, height, radius, border, d_between);
    if (error == cudaSuccess) {
        error = correlate_rows(d_between, width, height, radius, border, d_out);
    }
    return error;
}

__global__ void fused(const float *f, int w, int h, int r, bool zero, float *out) {
    extern __shared__ float s[];
    const int n = B + 2 * r; // side of the tile
    float *between = s + n * n; // B rows of n columns
    for (int i = threadIdx.y * B + threadIdx.x; i < n * n; i += B * B) {
        s[i] = load(f, w, h, blockIdx.x * B - r + i % n, blockIdx.y * B - r + i / n, zero);
    }
    __syncthreads();
    for (int i = threadIdx.y * B + threadIdx.x; i < B * n; i += B * B) {
        float sum = 0;
        for (int k = 0; k <= 2 * r; ++k) {
            sum += c_lines[0][k] * s[i + k * n];
        }
        between[i] = sum;
    }
    __syncthreads();
    const int x = blockIdx.x * B + threadIdx.x, y = blockIdx.y * B + threadIdx.y;
    if (x < w && y < h) {
        float sum = 0;
        for (int k = 0; k <= 2 * r; ++k) {
            sum += c_lines[1][k] * between[threadIdx.y * n + threadIdx.x + k];
        }
        out[(size_t)y * w + x] = sum;
    }
}

cudaError_t correlate_fused(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_out) {
    const size_t n = B + 2 * radius;
    fused<<<grid(width, height), dim3(B, B), sizeof(float) * (n * n + B * n)>>>(
        d_image, width, height, radius, border == BORDER_ZERO, d_out);
    return cudaPeekAtLastError();
}
