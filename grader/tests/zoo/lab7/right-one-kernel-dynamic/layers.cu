// zoo: right
//
// Parts B and C are one kernel with the mask's size as a template parameter, and dynamic shared memory;
// part A is the same with the sums stored after each channel.
#include "lab.h"

/* A thread has one column of two pixels, and PLANES masks. */
enum { X = 32, Y = 8, DOWN = 2, PLANES = 6 };

extern __shared__ double s_memory[]; /* doubles, so that it is aligned for either type */

template <typename real, int size>
__global__ void layer(const real *image, int channels, int height, int width, const real *weights,
                      int masks, bool apart, real *out) {
    const int wide = X + size - 1, high = Y * DOWN + size - 1, taps = size * size;
    real *tile = (real *)s_memory, *weight = tile + wide * high;
    const int thread = threadIdx.y * X + threadIdx.x;
    const int x = blockIdx.x * X + threadIdx.x, y = (blockIdx.y * Y + threadIdx.y) * DOWN;
    const int mask = apart ? 0 : blockIdx.z * PLANES;
    const int first = apart ? (int)blockIdx.z : 0, last = apart ? first + 1 : channels;
    real sum[PLANES][DOWN];
    for (int i = 0; i < PLANES * DOWN; i++)
        sum[i / DOWN][i % DOWN] = 0;

    for (int c = first; c < last; c++) {
        const real *plane = image + (size_t)c * height * width;
        for (int i = thread; i < wide * high; i += X * Y) {
            int v = (int)(blockIdx.y * Y * DOWN) + i / wide - size / 2;
            int u = (int)(blockIdx.x * X) + i % wide - size / 2;
            tile[i] = v < 0 || u < 0 || v >= height || u >= width ? (real)0
                                                                  : plane[(size_t)v * width + u];
        }
        for (int i = thread; i < PLANES * taps; i += X * Y) {
            int n = mask + i / taps;
            const real *from = apart ? weights : weights + ((size_t)n * channels + c) * taps;
            weight[i] = n < masks ? from[i % taps] : (real)0;
        }
        __syncthreads();
        for (int k = 0; k < taps; k++) {
            const real *at = tile + (threadIdx.y * DOWN + k / size) * wide + threadIdx.x + k % size;
            const real upper = at[0], lower = at[wide];
            for (int p = 0; p < PLANES; p++) {
                sum[p][0] += upper * weight[p * taps + k];
                sum[p][1] += lower * weight[p * taps + k];
            }
        }
        __syncthreads();
    }
    for (int p = 0; p < (apart ? 1 : PLANES); p++)
        for (int i = 0; i < DOWN; i++) {
            size_t n = apart ? blockIdx.z : mask + p;
            if (x < width && y + i < height && (apart || mask + p < masks))
                out[(n * height + y + i) * width + x] = sum[p][i];
        }
}

template <typename real, int size>
cudaError_t launch(const real *image, int channels, int height, int width, const real *weights,
                   int masks, bool apart, real *out) {
    const unsigned z = apart ? channels : (masks + PLANES - 1) / PLANES;
    const size_t tile = (size_t)(X + size - 1) * (Y * DOWN + size - 1);
    const size_t bytes = (tile + PLANES * size * size) * sizeof(real);
    layer<real, size>
        <<<dim3((width + X - 1) / X, (height + Y * DOWN - 1) / (Y * DOWN), z), dim3(X, Y), bytes>>>(
            image, channels, height, width, weights, masks, apart, out);
    return cudaGetLastError();
}

template <typename real>
cudaError_t depthwise(const real *image, int channels, int height, int width, const real *mask,
                      real *out) {
    return launch<real, SIZE>(image, channels, height, width, mask, 1, true, out);
}
template <typename real>
cudaError_t pointwise(const real *image, int channels, int height, int width, const real *bank,
                      int masks, real *out) {
    return launch<real, 1>(image, channels, height, width, bank, masks, false, out);
}
template <typename real>
cudaError_t convolution(const real *image, int channels, int height, int width, const real *bank,
                        int masks, real *out) {
    return launch<real, SIZE>(image, channels, height, width, bank, masks, false, out);
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
