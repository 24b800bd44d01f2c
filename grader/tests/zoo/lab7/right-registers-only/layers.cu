// zoo: right
//
// No shared memory at all: a thread marches down its columns with the last rows in registers, and
// uses what it has read for several masks.
#include "lab.h"

/* Reads of a warp: its columns' left and right neighbours come from other lanes, by shuffles. */
enum { LANES = 32, INNER = 30, DOWN = 16, SEVERAL = 8, HIGH = 4 };

/* f(y, x), 0 outside. */
template <typename real>
__device__ real at(const real *plane, int height, int width, int y, int x) {
    return y >= 0 && y < height && x >= 0 && x < width ? __ldg(plane + (size_t)y * width + x)
                                                       : (real)0;
}

template <typename real>
__global__ void march(const real *__restrict__ image, int height, int width,
                      const real *__restrict__ mask, real *__restrict__ out) {
    const int x = blockIdx.x * INNER + threadIdx.x - 1, top = blockIdx.y * DOWN;
    const bool inside = threadIdx.x > 0 && threadIdx.x <= INNER && x < width;
    const real *plane = image + (size_t)blockIdx.z * height * width;
    real sum[3] = {0, 0, 0}; /* of the rows y - 1, y, y + 1 */
    real w[9];
    for (int i = 0; i < 9; i++) {
        w[i] = __ldg(mask + i);
    }
    for (int y = top - 1; y <= top + DOWN && y <= height; y++) {
        const real middle = at(plane, height, width, y, x);
        const real left = __shfl_up_sync(0xffffffffu, middle, 1);
        const real right = __shfl_down_sync(0xffffffffu, middle, 1);
        for (int b = 0; b < 3; b++) { /* this row is row b of the window of row y + 1 - b */
            sum[2 - b] += left * w[3 * b] + middle * w[3 * b + 1] + right * w[3 * b + 2];
        }
        if (inside && y > top) {
            out[((size_t)blockIdx.z * height + y - 1) * width + x] = sum[0];
        }
        sum[0] = sum[1], sum[1] = sum[2], sum[2] = 0;
    }
}

/* size 1 or 3; each thread HIGH pixels below each other, of SEVERAL masks. */
template <typename real, int size>
__global__ void many(const real *__restrict__ image, int channels, int height, int width,
                     const real *__restrict__ bank, int masks, real *__restrict__ out) {
    const int lane = threadIdx.x, reach = size / 2, step = LANES - 2 * reach;
    const int x = blockIdx.x * step + lane - reach, top = blockIdx.y * HIGH;
    const int first = blockIdx.z * SEVERAL;
    real sum[SEVERAL][HIGH] = {};
    for (int c = 0; c < channels; c++) {
        const real *plane = image + (size_t)c * height * width;
        real around[HIGH + size - 1][3];
        for (int j = 0; j < HIGH + size - 1; j++) {
            const real middle = at(plane, height, width, top + j - reach, x);
            around[j][0] = __shfl_up_sync(0xffffffffu, middle, 1);
            around[j][1] = middle;
            around[j][2] = __shfl_down_sync(0xffffffffu, middle, 1);
        }
        /* Lane l reads the weights of mask l, the others get them from it. */
        const int n = min(first + lane, masks - 1);
        for (int tap = 0; tap < size * size; tap++) {
            const int b = tap / size, a = tap % size + 1 - reach;
            const size_t place = ((size_t)n * channels + c) * size * size + tap;
            const real mine = lane < SEVERAL ? __ldg(bank + place) : (real)0;
            for (int i = 0; i < SEVERAL; i++) {
                const real weight = __shfl_sync(0xffffffffu, mine, i);
                for (int j = 0; j < HIGH; j++) {
                    sum[i][j] += around[j + b][a] * weight;
                }
            }
        }
    }
    for (int i = 0; i < SEVERAL && first + i < masks; i++) {
        for (int j = 0; j < HIGH; j++) {
            if (lane >= reach && lane < LANES - reach && x < width && top + j < height) {
                out[((size_t)(first + i) * height + top + j) * width + x] = sum[i][j];
            }
        }
    }
}

template <typename real>
cudaError_t depthwise(const real *image, int channels, int height, int width, const real *mask,
                      real *out) {
    const dim3 grid((width + INNER - 1) / INNER, (height + DOWN - 1) / DOWN, channels);
    march<<<grid, LANES>>>(image, height, width, mask, out);
    return cudaGetLastError();
}
template <typename real>
cudaError_t pointwise(const real *image, int channels, int height, int width, const real *bank,
                      int masks, real *out) {
    const dim3 grid((width + LANES - 1) / LANES, (height + HIGH - 1) / HIGH,
                    (masks + SEVERAL - 1) / SEVERAL);
    many<real, 1><<<grid, LANES>>>(image, channels, height, width, bank, masks, out);
    return cudaGetLastError();
}
template <typename real>
cudaError_t convolution(const real *image, int channels, int height, int width, const real *bank,
                        int masks, real *out) {
    const dim3 grid((width + INNER - 1) / INNER, (height + HIGH - 1) / HIGH,
                    (masks + SEVERAL - 1) / SEVERAL);
    many<real, 3><<<grid, LANES>>>(image, channels, height, width, bank, masks, out);
    return cudaGetLastError();
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
