/* The baselines, the versions to beat: one thread per output, image and weights read from global
 * memory. */
#include "lab.h"

enum { BLOCK_WIDTH = 32, BLOCK_HEIGHT = 8 };

/* The same mask for every channel; blockIdx.z is the channel. */
template <typename real>
__global__ void baseline_depthwise_kernel(const real *d_image, int height, int width,
                                          const real *d_mask, real *d_out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const size_t first = (size_t)blockIdx.z * height * width; /* index of this channel */
    real sum = 0;
    for (int b = 0; b < SIZE; b++) {
        for (int a = 0; a < SIZE; a++) {
            const int row = y + b - SIZE / 2, column = x + a - SIZE / 2;
            if (row >= 0 && row < height && column >= 0 && column < width) {
                sum += d_image[first + (size_t)row * width + column] * d_mask[b * SIZE + a];
            }
        }
    }
    d_out[first + (size_t)y * width + x] = sum;
}

/* Masks of size x size pixels and all channels: part B with 1, part C with SIZE. blockIdx.z is the
 * mask. */
template <typename real, int size>
__global__ void baseline_bank_kernel(const real *d_image, int channels, int height, int width,
                                     const real *d_bank, real *d_out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const size_t plane = (size_t)height * width;
    const real *d_mask = d_bank + (size_t)blockIdx.z * channels * size * size;
    real sum = 0;
    for (int c = 0; c < channels; c++) {
        for (int b = 0; b < size; b++) {
            for (int a = 0; a < size; a++) {
                const int row = y + b - size / 2, column = x + a - size / 2;
                if (row >= 0 && row < height && column >= 0 && column < width) {
                    sum += d_image[c * plane + (size_t)row * width + column] *
                           d_mask[(c * size + b) * size + a];
                }
            }
        }
    }
    d_out[blockIdx.z * plane + (size_t)y * width + x] = sum;
}

static dim3 grid_for(int width, int height, int planes) {
    return dim3((unsigned)((width + BLOCK_WIDTH - 1) / BLOCK_WIDTH),
                (unsigned)((height + BLOCK_HEIGHT - 1) / BLOCK_HEIGHT), (unsigned)planes);
}

template <typename real>
static cudaError_t depthwise(const real *d_image, int channels, int height, int width,
                             const real *d_mask, real *d_out) {
    baseline_depthwise_kernel<real>
        <<<grid_for(width, height, channels), dim3(BLOCK_WIDTH, BLOCK_HEIGHT)>>>(
            d_image, height, width, d_mask, d_out);
    return cudaGetLastError();
}

template <typename real, int size>
static cudaError_t bank(const real *d_image, int channels, int height, int width,
                        const real *d_bank, int masks, real *d_out) {
    baseline_bank_kernel<real, size>
        <<<grid_for(width, height, masks), dim3(BLOCK_WIDTH, BLOCK_HEIGHT)>>>(
            d_image, channels, height, width, d_bank, d_out);
    return cudaGetLastError();
}

cudaError_t baseline_depthwise_double(const double *d_image, int channels, int height, int width,
                                      const double *d_mask, double *d_out) {
    return depthwise(d_image, channels, height, width, d_mask, d_out);
}
cudaError_t baseline_depthwise_float(const float *d_image, int channels, int height, int width,
                                     const float *d_mask, float *d_out) {
    return depthwise(d_image, channels, height, width, d_mask, d_out);
}
cudaError_t baseline_pointwise_double(const double *d_image, int channels, int height, int width,
                                      const double *d_bank, int masks, double *d_out) {
    return bank<double, 1>(d_image, channels, height, width, d_bank, masks, d_out);
}
cudaError_t baseline_pointwise_float(const float *d_image, int channels, int height, int width,
                                     const float *d_bank, int masks, float *d_out) {
    return bank<float, 1>(d_image, channels, height, width, d_bank, masks, d_out);
}
cudaError_t baseline_convolution_double(const double *d_image, int channels, int height, int width,
                                        const double *d_bank, int masks, double *d_out) {
    return bank<double, SIZE>(d_image, channels, height, width, d_bank, masks, d_out);
}
cudaError_t baseline_convolution_float(const float *d_image, int channels, int height, int width,
                                       const float *d_bank, int masks, float *d_out) {
    return bank<float, SIZE>(d_image, channels, height, width, d_bank, masks, d_out);
}
