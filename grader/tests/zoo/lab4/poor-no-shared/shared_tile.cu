// zoo: poor | idle: few reads of each pixel from global memory; tile: few reads of each pixel from global memory; tile: lanes read neighbouring words of shared memory; registers: few reads of each pixel from global memory
//
// Lab 3's kernel in parts A, B and D: right, and no shared memory.
#include "lab.h"

/* Given: the mask of parts A, B and D, as in lab 3; a smaller one fills the beginning. */
__constant__ float c_mask[MASK_MAX_SIZE];

inline bool radius_allowed(int radius) {
    return radius >= 0 && radius <= MASK_MAX_RADIUS;
}

cudaError_t set_mask(const float *h_mask, int radius) {
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    const size_t coefficients = (size_t)(2 * radius + 1) * (2 * radius + 1);
    return cudaMemcpyToSymbol(c_mask, h_mask, coefficients * sizeof(float));
}

/* How many groups of `size` cover `count` things, the last one perhaps in part. */
inline unsigned ceil_div(int count, int size) {
    return (unsigned)((count + size - 1) / size);
}

/* f(x, y) with its border. */
inline __device__ float pixel(const float *d_image, int width, int height, int x, int y,
                              enum border border) {
    const int column = min(max(x, 0), width - 1);
    const int row = min(max(y, 0), height - 1);
    const bool outside = column != x || row != y;
    return outside && border == BORDER_ZERO ? 0.0f : d_image[(size_t)row * width + column];
}

__global__ void constant_kernel(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int size = 2 * radius + 1;
    float sum = 0.0f;
    for (int b = -radius; b <= radius; b++) {
        for (int a = -radius; a <= radius; a++) {
            sum += pixel(d_image, width, height, x + a, y + b, border) *
                   c_mask[(b + radius) * size + (a + radius)];
        }
    }
    d_out[(size_t)y * width + x] = sum;
}

cudaError_t correlate_idle(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    const dim3 block(32, 8);
    const dim3 grid(ceil_div(width, 32), ceil_div(height, 8));
    constant_kernel<<<grid, block>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
}

cudaError_t correlate_tile(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    return correlate_idle(d_image, width, height, radius, border, d_out);
}

cudaError_t correlate_register(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    return correlate_idle(d_image, width, height, radius, border, d_out);
}

/* One output of parts A, B and C: `window` is the top left pixel of its (2r+1) x (2r+1) pixels in
 * shared memory, whose rows are `stride` floats apart; `mask` is the mask, row by row. */
inline __device__ float window_sum(const float *window, int stride, const float *mask, int radius) {
    const int size = 2 * radius + 1;
    float sum = 0.0f;
    for (int b = 0; b < size; b++) {
        for (int a = 0; a < size; a++) {
            sum += window[b * stride + a] * mask[b * size + a];
        }
    }
    return sum;
}

/* ---- part C: dynamic shared memory, any radius that fits ---- */

/* How many bytes tile, apron and mask take together. */
inline size_t dynamic_bytes(int radius) {
    const size_t side = DYNAMIC_TILE + 2 * (size_t)radius, size = 2 * (size_t)radius + 1;
    return (side * side + size * size) * sizeof(float);
}

__global__ void dynamic_kernel(const float *d_image, int width, int height, const float *d_mask,
                               int radius, enum border border, float *d_out) {
    extern __shared__ float s_dynamic[]; /* as long as the launch says */
    const int side = DYNAMIC_TILE + 2 * radius, size = 2 * radius + 1;
    float *s_tile = s_dynamic;               /* side rows of side floats ... */
    float *s_mask = s_dynamic + side * side; /* ... and behind them size rows of size */

    const int left = (int)(blockIdx.x * DYNAMIC_TILE) - radius;
    const int top = (int)(blockIdx.y * DYNAMIC_TILE) - radius;
    for (int row = threadIdx.y; row < side; row += DYNAMIC_TILE) {
        for (int column = threadIdx.x; column < side; column += DYNAMIC_TILE) {
            s_tile[row * side + column] =
                pixel(d_image, width, height, left + column, top + row, border);
        }
    }
    for (int row = threadIdx.y; row < size; row += DYNAMIC_TILE) {
        for (int column = threadIdx.x; column < size; column += DYNAMIC_TILE) {
            s_mask[row * size + column] = d_mask[row * size + column];
        }
    }
    __syncthreads();

    const int x = blockIdx.x * DYNAMIC_TILE + threadIdx.x;
    const int y = blockIdx.y * DYNAMIC_TILE + threadIdx.y;
    if (x < width && y < height) {
        d_out[(size_t)y * width + x] =
            window_sum(&s_tile[threadIdx.y * side + threadIdx.x], side, s_mask, radius);
    }
}

cudaError_t correlate_dynamic(const float *d_image, int width, int height, const float *d_mask,
                              int radius, enum border border, float *d_out) {
    int device, most;
    cudaError_t error = cudaGetDevice(&device);
    if (error != cudaSuccess) {
        return error;
    }
    error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error != cudaSuccess) {
        return error;
    }
    if (radius < 0 || dynamic_bytes(radius) > (size_t)most) {
        return cudaErrorInvalidValue;
    }
    const size_t bytes = dynamic_bytes(radius);
    error = cudaFuncSetAttribute(dynamic_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)bytes);
    if (error != cudaSuccess) {
        return error;
    }
    const dim3 block(DYNAMIC_TILE, DYNAMIC_TILE);
    const dim3 grid(ceil_div(width, DYNAMIC_TILE), ceil_div(height, DYNAMIC_TILE));

    dynamic_kernel<<<grid, block, bytes>>>(d_image, width, height, d_mask, radius, border, d_out);
    return cudaGetLastError();
}
