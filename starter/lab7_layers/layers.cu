/* Lab 7: layers of several channels, as in neural networks.
 *
 * What to do   Fill in the TODOs, in order: three for part A, two each for parts B and C.
 *              labs/lab7_layers/lab.h says what each function must do.
 * Build        make lab7                  (make lab7-test: unit tests)
 * Grade        ./grade lab7               (no GPU needed: a simulator runs this file)
 * One check    ./grade lab7 -k "14x14x12"
 * Stuck?       ./grade hint lab7 A
 * The idea     handouts/lab7.md
 *
 * Kernels are templates: `real` is double or float, and the compiler generates one kernel for each.
 */
#include "lab.h"

/* A block of 32 x 4 threads computes a tile of 32 x 16 pixels: each thread computes ROWS pixels,
 * one below the other. The tile with its apron is one pixel wider on every side. */
enum { TILE_WIDTH = 32, BLOCK_HEIGHT = 4, ROWS = 4, TILE_HEIGHT = BLOCK_HEIGHT * ROWS };
enum { RADIUS = SIZE / 2, WIDE_WIDTH = TILE_WIDTH + 2 * RADIUS };
enum { WIDE_HEIGHT = TILE_HEIGHT + 2 * RADIUS, THREADS = TILE_WIDTH * BLOCK_HEIGHT };

/* How many groups of `size` cover `count` things; the last group may be partly filled. */
__host__ __device__ inline unsigned ceil_div(size_t count, size_t size) {
    return (unsigned)((count + size - 1) / size);
}

/* ---- part A: one 3 x 3 mask for every channel ---- */

/* All threads of a block together load a tile of a plane, with its apron, into s_tile. The tile
 * begins at pixel (top, left). Pixels outside the plane (height x width) are 0. */
template <typename real>
__device__ void load_tile(const real *d_plane, int height, int width, int top, int left,
                          real s_tile[WIDE_HEIGHT][WIDE_WIDTH]) {
    /* TODO 1: load WIDE_HEIGHT * WIDE_WIDTH pixels with only THREADS threads: thread number
     * threadIdx.y * TILE_WIDTH + threadIdx.x loads the pixel of that number and every THREADS-th
     * after it. s_tile[0][0] is RADIUS above and left of (top, left).  (about 8 lines) */
    (void)d_plane, (void)height, (void)width, (void)top, (void)left, (void)s_tile;
}

template <typename real>
__global__ void depthwise_kernel(const real *d_image, int height, int width, const real *d_mask,
                                 real *d_out) {
    /* TODO 2: blockIdx.z is the channel. Load the tile and the mask into shared memory, wait for
     * all threads, and compute ROWS pixels: row threadIdx.y * ROWS and the rows below it. Test the
     * bounds only then: a thread outside the image must load too.  (about 25 lines) */
    (void)d_image, (void)height, (void)width, (void)d_mask, (void)d_out;
}

template <typename real>
cudaError_t depthwise(const real *d_image, int channels, int height, int width, const real *d_mask,
                      real *d_out) {
    /* TODO 3: launch depthwise_kernel<real> for all tiles of all channels, and return what
     * cudaGetLastError() returns.  (about 5 lines) */
    (void)d_image, (void)channels, (void)height, (void)width, (void)d_mask, (void)d_out;
    return cudaErrorNotSupported;
}

/* ---- part B: masks of 1 x 1 pixel and all channels ---- */

/* A thread computes PIXELS_1 pixels of MASKS_1 outputs, THREADS pixels apart; its block computes
 * PIXELS_1 * THREADS consecutive pixels, counted row by row. The weights of CHUNK_1 channels at a
 * time are loaded into shared memory. */
enum { PIXELS_1 = 2, MASKS_1 = 36, CHUNK_1 = 30 };

template <typename real>
__global__ void pointwise_kernel(const real *d_image, int channels, size_t plane,
                                 const real *d_bank, int masks, real *d_out) {
    /* TODO 4: plane is height * width. Of `groups` consecutive blocks, each computes the same
     * pixels for another group of masks: blockIdx.x / groups selects the pixels, blockIdx.x %
     * groups the masks. For each chunk of channels: let all threads load its weights, MASKS_1 for
     * each channel, if mask and channel exist; wait; read PIXELS_1 values of the image for each
     * channel and use each of them MASKS_1 times; wait again before you replace the weights. Keep
     * the sums in registers.  (about 40 lines) */
    (void)d_image, (void)channels, (void)plane, (void)d_bank, (void)masks, (void)d_out;
}

template <typename real>
cudaError_t pointwise(const real *d_image, int channels, int height, int width, const real *d_bank,
                      int masks, real *d_out) {
    /* TODO 5: launch pointwise_kernel<real> with THREADS threads per block.  (about 5 lines) */
    (void)d_image, (void)channels, (void)height, (void)width, (void)d_bank;
    (void)masks, (void)d_out;
    return cudaErrorNotSupported;
}

/* ---- part C: masks of 3 x 3 pixels and all channels ---- */

/* A thread computes ROWS pixels of MASKS_3 outputs. The tiles and weights of CHUNK_3 channels at a
 * time are loaded into shared memory. */
enum { MASKS_3 = 16, CHUNK_3 = 4 };

/* __launch_bounds__ promises that a block has at most THREADS threads. So nvcc gives each of them
 * more registers, and loads values into them earlier. Without it, the kernel takes 1.7 times as
 * long in double (H200). */
template <typename real>
__global__ void __launch_bounds__(THREADS)
    convolution_kernel(const real *d_image, int channels, int height, int width, const real *d_bank,
                       int masks, real *d_out) {
    /* TODO 6: blockIdx.z selects the masks. For each chunk of channels: load the tile of each
     * channel with load_tile(), and the weights, which are contiguous for the channels of a chunk;
     * wait; for each channel and each of the SIZE columns of a mask, read the ROWS + SIZE - 1
     * pixels below each other that its SIZE taps need, then each weight of the column, and do ROWS
     * multiply-adds with each weight; wait.  (about 50 lines) */
    (void)d_image, (void)channels, (void)height, (void)width, (void)d_bank;
    (void)masks, (void)d_out;
}

template <typename real>
cudaError_t convolution(const real *d_image, int channels, int height, int width,
                        const real *d_bank, int masks, real *d_out) {
    /* TODO 7: launch convolution_kernel<real> for all tiles and all masks.  (about 6 lines) */
    (void)d_image, (void)channels, (void)height, (void)width, (void)d_bank;
    (void)masks, (void)d_out;
    return cudaErrorNotSupported;
}

/* ---- the functions of lab.h, for both types: nothing to do here ---- */

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
