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
    // BEGIN SOLUTION
    // STARTER: (void)window, (void)stride, (void)mask, (void)radius;
    // STARTER: return 0.0f;
    const int size = 2 * radius + 1;
    float sum = 0.0f;
    for (int b = 0; b < size; b++) {
        for (int a = 0; a < size; a++) {
            sum += window[b * stride + a] * mask[b * size + a];
        }
    }
    return sum;
    // END SOLUTION
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
    // BEGIN SOLUTION
    // STARTER: (void)d_image, (void)width, (void)height, (void)border, (void)&s_tile, (void)tile;
    const int x = (int)(blockIdx.x * tile + threadIdx.x) - radius;
    const int y = (int)(blockIdx.y * tile + threadIdx.y) - radius;
    s_tile[threadIdx.y][threadIdx.x] = pixel(d_image, width, height, x, y, border);
    __syncthreads();
    // END SOLUTION

    /* TODO 3: return if this thread is in the apron or outside the image. Otherwise write the
     * result of window_sum() to d_out.  (about 8 lines) */
    // BEGIN SOLUTION
    // STARTER: (void)d_out;
    const int column = (int)threadIdx.x - radius; /* in the tile */
    const int row = (int)threadIdx.y - radius;
    const bool apron = column < 0 || column >= tile || row < 0 || row >= tile;
    if (apron || x >= width || y >= height) {
        return;
    }
    d_out[(size_t)y * width + x] = window_sum(&s_tile[row][column], BLOCK, c_mask, radius);
    // END SOLUTION
}

cudaError_t correlate_idle(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    /* TODO 4: refuse a radius that is not allowed, launch idle_kernel with enough blocks for their
     * *tiles* to cover the image, and return what cudaGetLastError() returns.  (about 8 lines) */
    // BEGIN SOLUTION
    // STARTER: (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
    // STARTER: return cudaErrorNotSupported;
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    const int tile = BLOCK - 2 * radius;
    const dim3 block(BLOCK, BLOCK);
    const dim3 grid(ceil_div(width, tile), ceil_div(height, tile));

    idle_kernel<<<grid, block>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
    // END SOLUTION
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
    // BEGIN SOLUTION
    // STARTER: (void)d_image, (void)width, (void)height, (void)border, (void)d_out;
    // STARTER: (void)&s_tile, (void)side;
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
    // END SOLUTION
}

cudaError_t correlate_tile(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    /* TODO 6: as in part A, launch tile_kernel.  (about 7 lines) */
    // BEGIN SOLUTION
    // STARTER: (void)d_image, (void)width, (void)height, (void)radius, (void)border, (void)d_out;
    // STARTER: return cudaErrorNotSupported;
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    const dim3 block(TILE, TILE);
    const dim3 grid(ceil_div(width, TILE), ceil_div(height, TILE));

    tile_kernel<<<grid, block>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
    // END SOLUTION
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
    // BEGIN SOLUTION
    // STARTER: (void)d_image, (void)width, (void)height, (void)d_mask, (void)border, (void)d_out;
    // STARTER: (void)size, (void)&s_tile, (void)&s_mask;
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
    // END SOLUTION
}

cudaError_t correlate_dynamic(const float *d_image, int width, int height, const float *d_mask,
                              int radius, enum border border, float *d_out) {
    /* TODO 8: ask this device how much shared memory a block can have, and return
     * cudaErrorInvalidValue for a radius that does not fit. Allow the kernel that many bytes with
     * cudaFuncSetAttribute() (without it, the limit is 48 KB), and launch it with that many bytes.
     * Each of these calls can fail.  (about 22 lines) */
    // BEGIN SOLUTION
    // STARTER: (void)d_image, (void)width, (void)height, (void)d_mask, (void)radius;
    // STARTER: (void)border, (void)d_out;
    // STARTER: return cudaErrorNotSupported;
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
    // END SOLUTION
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
    // BEGIN SOLUTION
    // STARTER: (void)d_image, (void)width, (void)height, (void)border, (void)&s_tile;
    const int left = (int)(blockIdx.x * WIDE) - RADIUS;
    const int top = (int)(blockIdx.y * HIGH) - RADIUS;
    const int first = threadIdx.y * ACROSS + threadIdx.x;
    for (int i = first; i < rows * stride; i += ACROSS * DOWN) {
        s_tile[i] = pixel(d_image, width, height, left + i % stride, top + i / stride, border);
    }
    __syncthreads();
    // END SOLUTION

    /* TODO 10: this thread's outputs need PATCH + 2 RADIUS rows and `reach` columns of s_tile,
     * starting at PATCH times its index in the block. Read each such row into `line` as float4s.
     * Then, for each output row j, this row of the tile meets row b = row - j of the mask, if that
     * exists: add line[i + a] times coefficient (a, b) to sum[j][i], for all a and i. Put #pragma
     * unroll before every loop.  (about 30 lines) */
    // BEGIN SOLUTION
    // STARTER: (void)size, (void)reach, (void)sum;
    const float *corner = s_tile + PATCH * (threadIdx.y * stride + threadIdx.x);
#pragma unroll
    for (int row = 0; row < PATCH + 2 * RADIUS; row++) {
        float line[reach];
#pragma unroll
        for (int k = 0; k < reach; k += 4) {
            const float4 four = *(const float4 *)(corner + row * stride + k);
            line[k] = four.x;
            line[k + 1] = four.y;
            line[k + 2] = four.z;
            line[k + 3] = four.w;
        }
#pragma unroll
        for (int j = 0; j < PATCH; j++) {
            const int b = row - j;
            if (b < 0 || b >= size) {
                continue;
            }
#pragma unroll
            for (int a = 0; a < size; a++) {
#pragma unroll
                for (int i = 0; i < PATCH; i++) {
                    sum[j][i] += line[i + a] * c_mask[b * size + a];
                }
            }
        }
    }
    // END SOLUTION

    /* TODO 11: write those of the PATCH x PATCH sums that are in the image.  (about 12 lines) */
    // BEGIN SOLUTION
    // STARTER: (void)d_out;
    const int x = blockIdx.x * WIDE + PATCH * threadIdx.x;
    const int y = blockIdx.y * HIGH + PATCH * threadIdx.y;
#pragma unroll
    for (int j = 0; j < PATCH; j++) {
#pragma unroll
        for (int i = 0; i < PATCH; i++) {
            if (x + i < width && y + j < height) {
                d_out[(size_t)(y + j) * width + (x + i)] = sum[j][i];
            }
        }
    }
    // END SOLUTION
}

template <int RADIUS>
static cudaError_t launch_register(const float *d_image, int width, int height, enum border border,
                                   float *d_out) {
    /* TODO 12: launch register_kernel<RADIUS>. How many columns and rows does a block cover?
     * (about 4 lines) */
    // BEGIN SOLUTION
    // STARTER: (void)d_image, (void)width, (void)height, (void)border, (void)d_out;
    // STARTER: return cudaErrorNotSupported;
    const dim3 block(ACROSS, DOWN);
    const dim3 grid(ceil_div(width, WIDE), ceil_div(height, HIGH));

    register_kernel<RADIUS><<<grid, block>>>(d_image, width, height, border, d_out);
    return cudaGetLastError();
    // END SOLUTION
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
