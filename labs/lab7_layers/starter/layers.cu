/* Lab 7: layers of several channels, as neural networks have them.
 *
 * What to do   Fill in the TODOs, in order: three for part A, two each for parts B and C.
 *              labs/lab7_layers/lab.h says what each function must do.
 * Build, grade make lab7 && ./grade lab7          (no GPU needed: a simulator runs this file)
 * One check    ./grade lab7 -k "14x14x12"
 * Unit tests   make lab7-test
 * Stuck?       ./grade hint lab7 A
 * The idea     handouts/lab7.md
 *
 * Kernels are templates: `real` is double or float, and the compiler makes one kernel of each.
 */
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
    /* TODO 1: there are more pixels (WIDE_HEIGHT * WIDE_WIDTH) than threads (THREADS): let thread
     * threadIdx.y * TILE_WIDTH + threadIdx.x load that pixel and every THREADS-th after it.
     * s_tile[0][0] is the pixel RADIUS above and RADIUS left of (top, left).  (about 8 lines) */
    (void)d_plane, (void)height, (void)width, (void)top, (void)left, (void)s_tile;
}

template <typename real>
__global__ void depthwise_kernel(const real *d_image, int height, int width, const real *d_mask,
                                 real *d_out) {
    /* TODO 2: blockIdx.z is the channel. Load the tile and the mask to shared memory, wait for all
     * threads, and sum up ROWS pixels: threadIdx.y * ROWS and those below it. Only then ask which
     * of them are in the image: a thread outside has loaded for others.  (about 25 lines) */
    (void)d_image, (void)height, (void)width, (void)d_mask, (void)d_out;
}

template <typename real>
cudaError_t depthwise(const real *d_image, int channels, int height, int width, const real *d_mask,
                      real *d_out) {
    /* TODO 3: launch depthwise_kernel<real> for all tiles of all channels, and return what
     * cudaGetLastError() says.  (about 5 lines) */
    (void)d_image, (void)channels, (void)height, (void)width, (void)d_mask, (void)d_out;
    return cudaErrorNotSupported;
}

/* ---- part B: masks of one pixel and all channels ---- */

/* A thread computes one pixel of MASKS_1 outputs; its block THREADS neighbouring pixels, counted
 * through the rows. The weights come to shared memory CHUNK_1 channels at a time. */
enum { MASKS_1 = 16, CHUNK_1 = 24 };

template <typename real>
__global__ void pointwise_kernel(const real *d_image, int channels, size_t plane,
                                 const real *d_bank, int masks, real *d_out) {
    /* TODO 4: plane is height * width; blockIdx.x chooses the pixels, blockIdx.y the masks. For
     * each chunk of channels: all threads load its weights, MASKS_1 of each channel, where mask and
     * channel exist; wait; read one value of the image for each channel and use it MASKS_1 times;
     * wait again before the weights are replaced. The masks' sums stay in registers.  (about 31
     * lines) */
    (void)d_image, (void)channels, (void)plane, (void)d_bank, (void)masks, (void)d_out;
}

template <typename real>
cudaError_t pointwise(const real *d_image, int channels, int height, int width, const real *d_bank,
                      int masks, real *d_out) {
    /* TODO 5: launch pointwise_kernel<real> with THREADS threads a block.  (about 5 lines) */
    (void)d_image, (void)channels, (void)height, (void)width, (void)d_bank;
    (void)masks, (void)d_out;
    return cudaErrorNotSupported;
}

/* ---- part C: masks of 3 x 3 pixels and all channels ---- */

/* A thread computes ROWS pixels of MASKS_3 outputs. Tiles and weights come to shared memory CHUNK_3
 * channels at a time. */
enum { MASKS_3 = 8, CHUNK_3 = 2 };

template <typename real>
__global__ void convolution_kernel(const real *d_image, int channels, int height, int width,
                                   const real *d_bank, int masks, real *d_out) {
    /* TODO 6: blockIdx.z chooses the masks. For each chunk of channels: load the tile of each with
     * load_tile(), and the weights, which lie together for all channels of a chunk; wait; for each
     * channel and tap take ROWS pixels and MASKS_3 weights and make ROWS * MASKS_3 multiply-adds of
     * them; wait.  (about 42 lines) */
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
