/* Lab 4: a tile of the image, with its apron, in shared memory.
 *
 * What to do   Fill in the TODOs, in order: four for part A, two for B, two for C, four for D.
 *              labs/lab4_shared_tile/lab.h says what each function must do.
 * Build        make lab4                  (make lab4-test: unit tests)
 * Grade        ./grade lab4               (no GPU needed: a simulator runs this file)
 * One check    ./grade lab4 -k "one row"
 * Stuck?       ./grade hint lab4 A
 * The idea     handouts/lab4.md
 */
#include "lab.h"

/* Given: the mask of parts A, B and D, as in lab 3; a smaller mask fills only the beginning. */
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

/* How many groups of `size` cover `count` things; the last group may be partly filled. */
inline unsigned ceil_div(int count, int size) {
    return (unsigned)((count + size - 1) / size);
}

/* Returns f(x, y), with the border. */
inline __device__ float pixel(const float *d_image, int width, int height, int x, int y,
                              enum border border) {
    const int column = min(max(x, 0), width - 1);
    const int row = min(max(y, 0), height - 1);
    const bool outside = column != x || row != y;
    return outside && border == BORDER_ZERO ? 0.0f : d_image[(size_t)row * width + column];
}

/* Computes one output of parts A, B and C. `window` points to the top left of its (2r+1) x (2r+1)
 * pixels in shared memory, whose rows are `stride` floats apart; `mask` is the mask, row by row. */
inline __device__ float window_sum(const float *window, int stride, const float *mask, int radius) {
    /* TODO 1: return the sum over the window of pixel times coefficient. No border test is needed:
     * the threads that fill the tile handle the border.  (about 8 lines) */
    (void)window, (void)stride, (void)mask, (void)radius;
    return 0.0f;
}

/* ---- part A: one thread per pixel of tile and apron ---- */

/* A block has BLOCK x BLOCK threads; the ones in the middle, inside the apron, are its tile. */
enum { BLOCK = 32 };

__global__ void idle_kernel(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_out) {
    __shared__ float s_tile[BLOCK][BLOCK];
    const int tile = BLOCK - 2 * radius; /* the side of the tile */

    /* TODO 2: compute this thread's pixel (x, y) of the image; for the outermost threads of a block
     * it is in the apron. Load it into s_tile with pixel(), and wait until all threads of the block
     * have done so.  (about 4 lines) */
    (void)d_image, (void)width, (void)height, (void)border, (void)&s_tile, (void)tile;

    /* TODO 3: return if this thread is in the apron or outside the image. Otherwise write the
     * result of window_sum() to d_out.  (about 8 lines) */
    (void)d_out;
}

cudaError_t correlate_idle(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    /* TODO 4: refuse a radius that is not allowed, launch idle_kernel with enough blocks for their
     * *tiles* to cover the image, and return what cudaGetLastError() returns.  (about 8 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
    return cudaErrorNotSupported;
}

/* ---- part B: one thread per pixel of the tile ---- */

/* The side of the tile, and the side of the tile with the largest apron. */
enum { TILE = 32, SIDE = TILE + 2 * MASK_MAX_RADIUS };

__global__ void tile_kernel(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_out) {
    __shared__ float s_tile[SIDE][SIDE];
    const int side = TILE + 2 * radius; /* of the tile with its apron */

    /* TODO 5: load side x side pixels with TILE x TILE threads: each thread loads the pixel at
     * (threadIdx.x, threadIdx.y) and every TILE-th pixel from there, across and down. Wait for all
     * threads; then each thread computes its pixel if it is in the image.  (about 15 lines) */
    (void)d_image, (void)width, (void)height, (void)border, (void)d_out;
    (void)&s_tile, (void)side;
}

cudaError_t correlate_tile(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    /* TODO 6: as in part A, launch tile_kernel.  (about 7 lines) */
    (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
    return cudaErrorNotSupported;
}

/* ---- part C: dynamic shared memory, any radius that fits ---- */

/* How many bytes the tile, its apron and the mask need together. */
inline size_t dynamic_bytes(int radius) {
    const size_t side = DYNAMIC_TILE + 2 * (size_t)radius, size = 2 * (size_t)radius + 1;
    return (side * side + size * size) * sizeof(float);
}

__global__ void dynamic_kernel(const float *d_image, int width, int height, const float *d_mask,
                               int radius, enum border border, float *d_out) {
    extern __shared__ float s_dynamic[]; /* its size is set at the launch */
    const int side = DYNAMIC_TILE + 2 * radius, size = 2 * radius + 1;
    float *s_tile = s_dynamic;               /* side rows of side floats ... */
    float *s_mask = s_dynamic + side * side; /* ... followed by size rows of size floats */

    /* TODO 7: as part B, but the rows of s_tile are `side` floats long, and the block also loads
     * the mask into s_mask, with loops like those for the tile. One barrier is enough for both.
     * (about 19 lines) */
    (void)d_image, (void)width, (void)height, (void)d_mask, (void)border, (void)d_out;
    (void)size, (void)&s_tile, (void)&s_mask;
}

cudaError_t correlate_dynamic(const float *d_image, int width, int height, const float *d_mask,
                              int radius, enum border border, float *d_out) {
    /* TODO 8: ask this device how much shared memory a block can have, and return
     * cudaErrorInvalidValue for a radius that does not fit. Allow the kernel that many bytes with
     * cudaFuncSetAttribute() (without it, the limit is 48 KB), and launch it with that many bytes.
     * Each of these calls can fail.  (about 22 lines) */
    (void)d_image, (void)width, (void)height, (void)d_mask, (void)radius;
    (void)border, (void)d_out;
    return cudaErrorNotSupported;
}

/* ---- part D: PATCH x PATCH outputs per thread, with their sums in registers ---- */

/* A block has ACROSS x DOWN threads, so its tile is 64 x 32 pixels. */
enum { PATCH = 4, ACROSS = 16, DOWN = 8 };
enum { WIDE = ACROSS * PATCH, HIGH = DOWN * PATCH };

/* Rounds up to a multiple of 4: the index of the first float of a float4 must be one. */
inline constexpr __host__ __device__ int up_to_4(int count) {
    return (count + 3) / 4 * 4;
}

/* RADIUS is a template parameter, so each radius is compiled separately: only then can all loops be
 * unrolled, and `sum` and `line` stay in registers, which cannot be indexed at run time. */
template <int RADIUS>
__global__ void register_kernel(const float *d_image, int width, int height, enum border border,
                                float *d_out) {
    constexpr int size = 2 * RADIUS + 1;
    constexpr int stride = up_to_4(WIDE + 2 * RADIUS); /* floats in a row of s_tile */
    constexpr int rows = HIGH + 2 * RADIUS;
    constexpr int reach = up_to_4(PATCH + 2 * RADIUS); /* floats that a thread reads of a row */
    __shared__ __align__(16) float s_tile[rows * stride];
    float sum[PATCH][PATCH] = {};

    /* TODO 9: load rows x stride pixels, so that neighbouring threads load neighbouring elements of
     * s_tile. Also load the elements beyond the apron: the last float4 of a row reads them. Then
     * wait for all threads.  (about 9 lines) */
    (void)d_image, (void)width, (void)height, (void)border, (void)&s_tile;

    /* TODO 10: this thread's outputs need PATCH + 2 RADIUS rows and `reach` columns of s_tile,
     * starting at PATCH times its index in the block. Read each such row into `line` as float4s.
     * Then, for each output row j, this row of the tile meets row b = row - j of the mask, if that
     * exists: add line[i + a] times coefficient (a, b) to sum[j][i], for all a and i. Put #pragma
     * unroll before every loop.  (about 30 lines) */
    (void)size, (void)reach, (void)sum;

    /* TODO 11: write those of the PATCH x PATCH sums that are in the image.  (about 12 lines) */
    (void)d_out;
}

template <int RADIUS>
static cudaError_t launch_register(const float *d_image, int width, int height, enum border border,
                                   float *d_out) {
    /* TODO 12: launch register_kernel<RADIUS>. How many columns and rows does a block cover?
     * (about 4 lines) */
    (void)d_image, (void)width, (void)height, (void)border, (void)d_out;
    return cudaErrorNotSupported;
}

/* Given: a kernel for each radius, 0 to MASK_MAX_RADIUS. */
cudaError_t correlate_register(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    static decltype(&launch_register<0>) const launch[] = {
        launch_register<0>, launch_register<1>, launch_register<2>,
        launch_register<3>, launch_register<4>, launch_register<5>,
        launch_register<6>, launch_register<7>, launch_register<8>,
    };
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    return launch[radius](d_image, width, height, border, d_out);
}
