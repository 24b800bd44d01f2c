// zoo: poor | each value read is used for several masks; tile and weights are read from shared memory; several outputs per thread
//
// The plan of source 002, without its mistakes: a block of one output plane, weights and tile in shared
// memory, a thread for each output.
#include "lab.h"

enum { SIDE = 16, WIDE = SIDE + 2, WEIGHTS = 300 };

inline unsigned groups(int count, int size) {
    return (unsigned)((count + size - 1) / size);
}

template <typename real>
__device__ void load(const real *d_plane, int height, int width, real s_tile[WIDE * WIDE]) {
    for (int i = threadIdx.y * SIDE + threadIdx.x; i < WIDE * WIDE; i += SIDE * SIDE) {
        const int y = (int)blockIdx.y * SIDE + i / WIDE - 1,
                  x = (int)blockIdx.x * SIDE + i % WIDE - 1;
        s_tile[i] =
            y < 0 || y >= height || x < 0 || x >= width ? 0 : d_plane[(size_t)y * width + x];
    }
}

template <typename real> __device__ real nine(const real *s_tile, const real *s_weight) {
    const real *corner = s_tile + threadIdx.y * WIDE + threadIdx.x;
    real sum = 0;
    sum += corner[0] * s_weight[0];
    sum += corner[1] * s_weight[1];
    sum += corner[2] * s_weight[2];
    sum += corner[WIDE] * s_weight[3];
    sum += corner[WIDE + 1] * s_weight[4];
    sum += corner[WIDE + 2] * s_weight[5];
    sum += corner[2 * WIDE] * s_weight[6];
    sum += corner[2 * WIDE + 1] * s_weight[7];
    sum += corner[2 * WIDE + 2] * s_weight[8];
    return sum;
}

template <typename real>
__global__ void one_mask(const real *d_image, int height, int width, const real *d_mask,
                         real *d_out) {
    __shared__ real s_tile[WIDE * WIDE], s_weight[9];
    const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    const size_t plane = (size_t)height * width;
    load(d_image + blockIdx.z * plane, height, width, s_tile);
    if (threadIdx.y == 0 && threadIdx.x < 9) {
        s_weight[threadIdx.x] = d_mask[threadIdx.x];
    }
    __syncthreads();
    if (x < width && y < height) {
        d_out[blockIdx.z * plane + (size_t)y * width + x] = nine(s_tile, s_weight);
    }
}

template <typename real>
__global__ void line_of_channels(const real *d_image, int channels, int height, int width,
                                 const real *d_bank, real *d_out) {
    __shared__ real s_weight[WEIGHTS];
    const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    const size_t plane = (size_t)height * width, place = (size_t)y * width + x;
    real sum = 0;
    for (int first = 0; first < channels; first += WEIGHTS) {
        const int count = channels - first < WEIGHTS ? channels - first : WEIGHTS;
        for (int i = threadIdx.y * SIDE + threadIdx.x; i < count; i += SIDE * SIDE) {
            s_weight[i] = d_bank[(size_t)blockIdx.z * channels + first + i];
        }
        __syncthreads();
        for (int c = 0; c < count && x < width && y < height; c++) {
            sum += d_image[(first + c) * plane + place] * s_weight[c];
        }
        __syncthreads();
    }
    if (x < width && y < height) {
        d_out[blockIdx.z * plane + place] = sum;
    }
}

template <typename real>
__global__ void block_of_channels(const real *d_image, int channels, int height, int width,
                                  const real *d_bank, real *d_out) {
    __shared__ real s_tile[WIDE * WIDE], s_weight[9];
    const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    const size_t plane = (size_t)height * width;
    real sum = 0;
    for (int c = 0; c < channels; c++) {
        load(d_image + c * plane, height, width, s_tile);
        if (threadIdx.y == 0 && threadIdx.x < 9) {
            s_weight[threadIdx.x] = d_bank[((size_t)blockIdx.z * channels + c) * 9 + threadIdx.x];
        }
        __syncthreads();
        sum += nine(s_tile, s_weight);
        __syncthreads();
    }
    if (x < width && y < height) {
        d_out[blockIdx.z * plane + (size_t)y * width + x] = sum;
    }
}

template <typename real>
cudaError_t depthwise(const real *d_image, int channels, int height, int width, const real *d_mask,
                      real *d_out) {
    one_mask<<<dim3(groups(width, SIDE), groups(height, SIDE), channels), dim3(SIDE, SIDE)>>>(
        d_image, height, width, d_mask, d_out);
    return cudaGetLastError();
}

template <typename real>
cudaError_t pointwise(const real *d_image, int channels, int height, int width, const real *d_bank,
                      int masks, real *d_out) {
    line_of_channels<<<dim3(groups(width, SIDE), groups(height, SIDE), masks), dim3(SIDE, SIDE)>>>(
        d_image, channels, height, width, d_bank, d_out);
    return cudaGetLastError();
}

template <typename real>
cudaError_t convolution(const real *d_image, int channels, int height, int width,
                        const real *d_bank, int masks, real *d_out) {
    block_of_channels<<<dim3(groups(width, SIDE), groups(height, SIDE), masks), dim3(SIDE, SIDE)>>>(
        d_image, channels, height, width, d_bank, d_out);
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
