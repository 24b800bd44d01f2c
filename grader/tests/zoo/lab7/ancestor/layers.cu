#include "lab.h"

/* A block of 32 x 4 threads computes a tile of 32 x 16 pixels: each thread ROWS pixels, one below
 * the other. The tile with its apron is one pixel wider on every side. */
enum { TILE_WIDTH = 32, BLOCK_HEIGHT = 4, ROWS = 4, TILE_HEIGHT = BLOCK_HEIGHT * ROWS };
enum { RADIUS = SIZE / 2, WIDE_WIDTH = TILE_WIDTH + 2 * RADIUS };
enum { WIDE_HEIGHT = TILE_HEIGHT + 2 * RADIUS, THREADS = TILE_WIDTH * BLOCK_HEIGHT };

/* How many groups of `size` cover `count` things, the last one perhaps in part. */
inline unsigned ceil_div(size_t count, size_t size) {
    return (unsigned)((count + size - 1) / size);
}

/* ---- part A: one mask of 3 x 3 for every channel ---- */

/* A plane's tile whose first pixel is (top, left), with its apron, to s_tile, by all threads of a
 * block. What lies outside the plane (height x width) is 0. */
template <typename real>
__device__ void load_tile(const real *d_plane, int height, int width, int top, int left,
                          real s_tile[WIDE_HEIGHT][WIDE_WIDTH]) {
    for (int i = threadIdx.y * TILE_WIDTH + threadIdx.x; i < WIDE_HEIGHT * WIDE_WIDTH;
         i += THREADS) {
        const int row = i / WIDE_WIDTH, column = i % WIDE_WIDTH;
        const int y = top - RADIUS + row, x = left - RADIUS + column;
        const bool inside = y >= 0 && y < height && x >= 0 && x < width;
        s_tile[row][column] = inside ? d_plane[(size_t)y * width + x] : (real)0;
    }
}

template <typename real>
__global__ void depthwise_kernel(const real *d_image, int height, int width, const real *d_mask,
                                 real *d_out) {
    __shared__ real s_tile[WIDE_HEIGHT][WIDE_WIDTH];
    __shared__ real s_mask[SIZE * SIZE];
    const int top = blockIdx.y * TILE_HEIGHT, left = blockIdx.x * TILE_WIDTH;
    const size_t channel = (size_t)blockIdx.z * height * width; /* where it begins */

    load_tile(d_image + channel, height, width, top, left, s_tile);
    const int thread = threadIdx.y * TILE_WIDTH + threadIdx.x;
    if (thread < SIZE * SIZE) {
        s_mask[thread] = d_mask[thread];
    }
    __syncthreads();

    real sum[ROWS] = {};
    for (int b = 0; b < SIZE; b++) {
        for (int a = 0; a < SIZE; a++) {
            const real weight = s_mask[b * SIZE + a];
            for (int i = 0; i < ROWS; i++) {
                sum[i] += s_tile[threadIdx.y * ROWS + i + b][threadIdx.x + a] * weight;
            }
        }
    }

    const int x = left + threadIdx.x;
    for (int i = 0; i < ROWS; i++) {
        const int y = top + threadIdx.y * ROWS + i;
        if (x < width && y < height) {
            d_out[channel + (size_t)y * width + x] = sum[i];
        }
    }
}

template <typename real>
cudaError_t depthwise(const real *d_image, int channels, int height, int width, const real *d_mask,
                      real *d_out) {
    const dim3 block(TILE_WIDTH, BLOCK_HEIGHT);
    const dim3 grid(ceil_div(width, TILE_WIDTH), ceil_div(height, TILE_HEIGHT), channels);

    depthwise_kernel<real><<<grid, block>>>(d_image, height, width, d_mask, d_out);
    return cudaGetLastError();
}

/* ---- part B: masks of one pixel and all channels ---- */

/* A thread computes one pixel of MASKS_1 outputs; its block THREADS neighbouring pixels, counted
 * through the rows. The weights come to shared memory CHUNK_1 channels at a time. */
enum { MASKS_1 = 16, CHUNK_1 = 24 };

template <typename real>
__global__ void pointwise_kernel(const real *d_image, int channels, size_t plane,
                                 const real *d_bank, int masks, real *d_out) {
    __shared__ real s_weights[CHUNK_1][MASKS_1];
    const size_t pixel = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const int first_mask = blockIdx.y * MASKS_1;
    real sum[MASKS_1] = {};

    for (int first = 0; first < channels; first += CHUNK_1) {
        const int count = min((int)CHUNK_1, channels - first);
        for (int i = threadIdx.x; i < MASKS_1 * count; i += THREADS) {
            const int m = i / count, c = i % count; /* neighbouring lanes, neighbouring channels */
            const int n = first_mask + m;
            s_weights[c][m] = n < masks ? d_bank[(size_t)n * channels + first + c] : (real)0;
        }
        __syncthreads();
        if (pixel < plane) {
#pragma unroll 6
            for (int c = 0; c < count; c++) {
                const real value = d_image[(first + c) * plane + pixel];
                for (int m = 0; m < MASKS_1; m++) {
                    sum[m] += value * s_weights[c][m];
                }
            }
        }
        __syncthreads();
    }

    for (int m = 0; m < MASKS_1; m++) {
        if (pixel < plane && first_mask + m < masks) {
            d_out[(first_mask + m) * plane + pixel] = sum[m];
        }
    }
}

template <typename real>
cudaError_t pointwise(const real *d_image, int channels, int height, int width, const real *d_bank,
                      int masks, real *d_out) {
    const size_t plane = (size_t)height * width;
    const dim3 grid(ceil_div(plane, THREADS), ceil_div(masks, MASKS_1));

    pointwise_kernel<real><<<grid, THREADS>>>(d_image, channels, plane, d_bank, masks, d_out);
    return cudaGetLastError();
}

/* ---- part C: masks of 3 x 3 pixels and all channels ---- */

/* A thread computes ROWS pixels of MASKS_3 outputs. Tiles and weights come to shared memory CHUNK_3
 * channels at a time. */
enum { MASKS_3 = 8, CHUNK_3 = 2 };

template <typename real>
__global__ void convolution_kernel(const real *d_image, int channels, int height, int width,
                                   const real *d_bank, int masks, real *d_out) {
    __shared__ real s_tile[CHUNK_3][WIDE_HEIGHT][WIDE_WIDTH];
    __shared__ real s_weights[CHUNK_3 * SIZE * SIZE][MASKS_3];
    const size_t plane = (size_t)height * width;
    const int top = blockIdx.y * TILE_HEIGHT, left = blockIdx.x * TILE_WIDTH;
    const int first_mask = blockIdx.z * MASKS_3;
    const int thread = threadIdx.y * TILE_WIDTH + threadIdx.x;
    real sum[MASKS_3][ROWS] = {};

    for (int first = 0; first < channels; first += CHUNK_3) {
        const int count = min((int)CHUNK_3, channels - first);
        for (int c = 0; c < count; c++) {
            load_tile(d_image + (first + c) * plane, height, width, top, left, s_tile[c]);
        }
        const int taps = count * SIZE * SIZE;
        for (int i = thread; i < MASKS_3 * taps; i += THREADS) {
            const int m = i / taps, tap = i % taps;
            const size_t mask = ((size_t)(first_mask + m) * channels + first) * SIZE * SIZE;
            s_weights[tap][m] = first_mask + m < masks ? d_bank[mask + tap] : (real)0;
        }
        __syncthreads();
        for (int tap = 0; tap < taps; tap++) {
            const int c = tap / (SIZE * SIZE), b = tap / SIZE % SIZE, a = tap % SIZE;
            real value[ROWS];
            for (int i = 0; i < ROWS; i++) {
                value[i] = s_tile[c][threadIdx.y * ROWS + i + b][threadIdx.x + a];
            }
            for (int m = 0; m < MASKS_3; m++) {
                const real weight = s_weights[tap][m];
                for (int i = 0; i < ROWS; i++) {
                    sum[m][i] += value[i] * weight;
                }
            }
        }
        __syncthreads();
    }

    const int x = left + threadIdx.x;
    for (int m = 0; m < MASKS_3; m++) {
        for (int i = 0; i < ROWS; i++) {
            const int y = top + threadIdx.y * ROWS + i;
            if (x < width && y < height && first_mask + m < masks) {
                d_out[(first_mask + m) * plane + (size_t)y * width + x] = sum[m][i];
            }
        }
    }
}

template <typename real>
cudaError_t convolution(const real *d_image, int channels, int height, int width,
                        const real *d_bank, int masks, real *d_out) {
    const dim3 block(TILE_WIDTH, BLOCK_HEIGHT);
    const dim3 grid(ceil_div(width, TILE_WIDTH), ceil_div(height, TILE_HEIGHT),
                    ceil_div(masks, MASKS_3));

    convolution_kernel<real>
        <<<grid, block>>>(d_image, channels, height, width, d_bank, masks, d_out);
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
