// zoo: poor | registers: one shared load serves several outputs
//
// Part D computes one output a thread, as part B: every tap is a read of shared memory.
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

/* ---- part A: a thread for each pixel of tile and apron ---- */

/* A block has BLOCK x BLOCK threads; what the apron leaves of them, in the middle, is its tile. */
enum { BLOCK = 32 };

__global__ void idle_kernel(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_out) {
    __shared__ float s_tile[BLOCK][BLOCK];
    const int tile = BLOCK - 2 * radius; /* its side */

    const int x = (int)(blockIdx.x * tile + threadIdx.x) - radius;
    const int y = (int)(blockIdx.y * tile + threadIdx.y) - radius;
    s_tile[threadIdx.y][threadIdx.x] = pixel(d_image, width, height, x, y, border);
    __syncthreads();

    const int column = (int)threadIdx.x - radius; /* in the tile */
    const int row = (int)threadIdx.y - radius;
    const bool apron = column < 0 || column >= tile || row < 0 || row >= tile;
    if (apron || x >= width || y >= height) {
        return;
    }
    d_out[(size_t)y * width + x] = window_sum(&s_tile[row][column], BLOCK, c_mask, radius);
}

cudaError_t correlate_idle(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    const int tile = BLOCK - 2 * radius;
    const dim3 block(BLOCK, BLOCK);
    const dim3 grid(ceil_div(width, tile), ceil_div(height, tile));

    idle_kernel<<<grid, block>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
}

/* ---- part B: a thread for each pixel of the tile ---- */

/* The tile, and room for it with the largest apron. */
enum { TILE = 32, SIDE = TILE + 2 * MASK_MAX_RADIUS };

__global__ void tile_kernel(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_out) {
    __shared__ float s_tile[SIDE][SIDE];
    const int side = TILE + 2 * radius; /* of tile and apron */

    const int left = (int)(blockIdx.x * TILE) - radius; /* the image's x of s_tile's column 0 */
    const int top = (int)(blockIdx.y * TILE) - radius;
    for (int row = threadIdx.y; row < side; row += TILE) {
        for (int column = threadIdx.x; column < side; column += TILE) {
            s_tile[row][column] = pixel(d_image, width, height, left + column, top + row, border);
        }
    }
    __syncthreads();

    const int x = blockIdx.x * TILE + threadIdx.x;
    const int y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height) {
        d_out[(size_t)y * width + x] =
            window_sum(&s_tile[threadIdx.y][threadIdx.x], SIDE, c_mask, radius);
    }
}

cudaError_t correlate_tile(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    const dim3 block(TILE, TILE);
    const dim3 grid(ceil_div(width, TILE), ceil_div(height, TILE));

    tile_kernel<<<grid, block>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
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

/* ---- part D: as part B ---- */

cudaError_t correlate_register(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    return correlate_tile(d_image, width, height, radius, border, d_out);
}
