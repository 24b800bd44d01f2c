// zoo: right
//
// Parts B and C as one matrix product, masks x (channels and taps) times (channels and taps) x pixels,
// with the window gathered while the block loads its share.
#include "lab.h"

/* A block makes 16 masks x 64 pixels from 8 rows of the sum at a time; a thread 4 x 4 of them. */
enum { M = 16, P = 64, K = 8, TM = 4, TP = 4, T = (M / TM) * (P / TP) };

struct layer {
    int channels, height, width, masks, size;
};

/* Row k of the gathered image at a pixel: channel k / size^2, moved by tap k % size^2. */
template <typename real> __device__ real gathered(const real *image, layer s, int k, size_t pixel) {
    const int taps = s.size * s.size, c = k / taps, tap = k % taps;
    const int y = (int)(pixel / s.width) + tap / s.size - s.size / 2;
    const int x = (int)(pixel % s.width) + tap % s.size - s.size / 2;
    if (c >= s.channels || y < 0 || y >= s.height || x < 0 || x >= s.width) {
        return 0;
    }
    return image[((size_t)c * s.height + y) * s.width + x];
}

template <typename real>
__global__ void product(const real *image, layer s, const real *bank, real *out) {
    __shared__ real s_a[K][M], s_b[K][P];
    const size_t plane = (size_t)s.height * s.width, first_pixel = (size_t)blockIdx.x * P;
    const int depth = s.channels * s.size * s.size, first_mask = blockIdx.y * M;
    const int m0 = threadIdx.x / (P / TP) * TM, p0 = threadIdx.x % (P / TP);
    real sum[TM][TP] = {};

    for (int k0 = 0; k0 < depth; k0 += K) {
        for (int i = threadIdx.x; i < K * M; i += T) {
            const int m = i / K, k = i % K;
            const bool there = first_mask + m < s.masks && k0 + k < depth;
            s_a[k][m] = there ? bank[(size_t)(first_mask + m) * depth + k0 + k] : (real)0;
        }
        for (int i = threadIdx.x; i < K * P; i += T) {
            const int k = i / P, p = i % P;
            const bool there = first_pixel + p < plane;
            s_b[k][p] = there ? gathered(image, s, k0 + k, first_pixel + p) : (real)0;
        }
        __syncthreads();
        for (int k = 0; k < K; k++) {
            const real *a = s_a[k] + m0;
            const real b[TP] = {s_b[k][p0], s_b[k][p0 + 16], s_b[k][p0 + 32], s_b[k][p0 + 48]};
            for (int i = 0; i < TM; i++) {
                const real weight = a[i];
                sum[i][0] += weight * b[0];
                sum[i][1] += weight * b[1];
                sum[i][2] += weight * b[2];
                sum[i][3] += weight * b[3];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < TM * TP; i++) {
        const int n = first_mask + m0 + i / TP;
        const size_t pixel = first_pixel + p0 + i % TP * (P / TP);
        if (n < s.masks && pixel < plane) {
            out[n * plane + pixel] = sum[i / TP][i % TP];
        }
    }
}

template <typename real>
cudaError_t multiply(const real *image, layer s, const real *bank, real *out) {
    const size_t plane = (size_t)s.height * s.width;
    product<<<dim3((unsigned)((plane + P - 1) / P), (s.masks + M - 1) / M), T>>>(image, s, bank,
                                                                                 out);
    return cudaGetLastError();
}

/* Part A: a strip of 64 x 4 outputs a block, two columns a thread. */
template <typename real>
__global__ void strip(const real *image, int height, int width, const real *mask, real *out) {
    __shared__ real s_strip[6][66];
    const int left = blockIdx.x * 64, top = blockIdx.y * 4;
    const size_t start = (size_t)blockIdx.z * height * width;
    for (int row = threadIdx.y; row < 6; row += 4) {
        for (int column = threadIdx.x; column < 66; column += 32) {
            const int y = top + row - 1, x = left + column - 1;
            s_strip[row][column] = y >= 0 && y < height && x >= 0 && x < width
                                       ? image[start + (size_t)y * width + x]
                                       : (real)0;
        }
    }
    __syncthreads();
    real sum[2] = {0, 0};
    for (int tap = 0; tap < 9; tap++) {
        for (int i = 0; i < 2; i++) {
            sum[i] += s_strip[threadIdx.y + tap / 3][threadIdx.x + 32 * i + tap % 3] * mask[tap];
        }
    }
    for (int i = 0; i < 2; i++) {
        const int x = left + threadIdx.x + 32 * i, y = top + threadIdx.y;
        if (x < width && y < height) {
            out[start + (size_t)y * width + x] = sum[i];
        }
    }
}

template <typename real>
cudaError_t depthwise(const real *image, int channels, int height, int width, const real *mask,
                      real *out) {
    strip<<<dim3((width + 63) / 64, (height + 3) / 4, channels), dim3(32, 4)>>>(image, height,
                                                                                width, mask, out);
    return cudaGetLastError();
}
template <typename real>
cudaError_t pointwise(const real *image, int channels, int height, int width, const real *bank,
                      int masks, real *out) {
    return multiply(image, layer{channels, height, width, masks, 1}, bank, out);
}
template <typename real>
cudaError_t convolution(const real *image, int channels, int height, int width, const real *bank,
                        int masks, real *out) {
    return multiply(image, layer{channels, height, width, masks, SIZE}, bank, out);
}

/* ---- the functions of lab.h, for either type. Nothing to do here. ---- */

cudaError_t depthwise_double(const double *d_image, int channels, int height, int width,
                             const double *d_mask, double *d_out) {
    return depthwise(d_image, channels, height, width, d_mask, d_out);
}
cudaError_t depthwise_float(const float *d_image, int channels, int height, int width,
                            const float *d_mask, float *d_out) {
    return depthwise(d_image, channels, height, width, d_mask, d_out);
}
cudaError_t pointwise_double(const double *d_image, int channels, int height, int width,
                             const double *d_bank, int masks, double *d_out) {
    return pointwise(d_image, channels, height, width, d_bank, masks, d_out);
}
cudaError_t pointwise_float(const float *d_image, int channels, int height, int width,
                            const float *d_bank, int masks, float *d_out) {
    return pointwise(d_image, channels, height, width, d_bank, masks, d_out);
}
cudaError_t convolution_double(const double *d_image, int channels, int height, int width,
                               const double *d_bank, int masks, double *d_out) {
    return convolution(d_image, channels, height, width, d_bank, masks, d_out);
}
cudaError_t convolution_float(const float *d_image, int channels, int height, int width,
                              const float *d_bank, int masks, float *d_out) {
    return convolution(d_image, channels, height, width, d_bank, masks, d_out);
}
