/* Lab 7, part C for floats on the tensor cores of an H200: a second expert, outside what the lab
 * asks for. The tensor cores round each factor to TF32, 11 significant bits, so the error is about
 * a thousand times what lab.h allows; libraries for neural networks accept that. It is compared
 * with theirs, never graded. notes.md, "The expert", has the figures.
 *
 * First the image and the bank are rounded and arranged in quads: four channels of a pixel, or of a
 * weight, side by side. Then the rows of a matrix that the tensor cores need are 16 bytes that lie
 * together in shared memory, and one ldmatrix reads four matrices.
 */
#include "lab.h"

#include <stdint.h>

/* A block of 4 warps computes 32 x 8 pixels of 72 masks: each warp 64 pixels, PIXELS x MASKS
 * products of a 16 x 8 matrix of pixels and an 8 x 8 matrix of weights for every tap. */
enum { WARP = 32, WARPS = 4, THREADS = WARP * WARPS, PIXELS = 4, MASKS = 9, GROUP = 8 * MASKS };
enum { TILE_WIDTH = 32, TILE_HEIGHT = 8, TAPS = SIZE * SIZE };
enum { WIDE_WIDTH = TILE_WIDTH + SIZE - 1, WIDE = WIDE_WIDTH * (TILE_HEIGHT + SIZE - 1) };

/* A stage has two quads: 8 channels. In quads of 16 bytes: the pixels of both, then the weights. */
enum { STAGES = 3, WEIGHTS = 2 * TAPS * GROUP, STAGE = 2 * WIDE + WEIGHTS };
enum { SHARES = (WIDE + THREADS - 1) / THREADS, WEIGHT_SHARES = (WEIGHTS + THREADS - 1) / THREADS };
enum { ARRANGE_THREADS = 256, QUAD_BYTES = 16 };

struct Layer {
    const float4 *d_image, *d_bank; /* rounded and arranged */
    float *d_out;
    int quads, height, width, masks;
};

static unsigned ceil_div(size_t count, size_t size) {
    return (unsigned)((count + size - 1) / size);
}

/* ---- rounded and arranged ---- */

__device__ inline float rounded(float value) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return __uint_as_float(bits);
}

/* Four numbers that are `step` apart, as far as there are any. */
__device__ inline float4 quad_of(const float *d_from, size_t step, int count) {
    float number[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        number[i] = i < count ? rounded(d_from[i * step]) : 0.0f;
    }
    return make_float4(number[0], number[1], number[2], number[3]);
}

/* To d_to[quad][pixel]. blockIdx.y is the quad. */
__global__ void arrange_image(const float *d_image, int channels, size_t plane, float4 *d_to) {
    const size_t pixel = (size_t)blockIdx.x * ARRANGE_THREADS + threadIdx.x;
    const int quad = blockIdx.y;
    if (pixel < plane) {
        d_to[quad * plane + pixel] =
            quad_of(d_image + 4 * quad * plane + pixel, plane, channels - 4 * quad);
    }
}

/* To d_to[group of masks][quad][tap][mask of the group], with zeros for masks that do not exist. */
__global__ void arrange_bank(const float *d_bank, int channels, int masks, int quads, float4 *d_to,
                             size_t count) {
    const size_t i = (size_t)blockIdx.x * ARRANGE_THREADS + threadIdx.x;
    const int tap = i % TAPS, quad = i / TAPS % quads;
    const size_t n = i / TAPS / quads, place = (n / GROUP * quads + quad) * TAPS + tap;
    if (i < count) {
        const size_t first = (n * channels + 4 * quad) * TAPS + tap;
        const int exist = n < (size_t)masks ? channels - 4 * quad : 0;
        d_to[place * GROUP + n % GROUP] = quad_of(d_bank + first, TAPS, exist);
    }
}

/* ---- the product ---- */

__device__ inline void copy_async(unsigned s_to, const float4 *d_from, bool exists) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(s_to), "l"(d_from), "r"(exists ? 16 : 0)
                 : "memory");
}

/* Lane i gives the address of row i % 8 of matrix i / 8. */
__device__ inline void load_four(unsigned (&to)[4], unsigned s_row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(s_row)
                 : "memory");
}

__device__ inline void load_two(unsigned &first, unsigned &second, unsigned s_row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(first), "=r"(second)
                 : "r"(s_row)
                 : "memory");
}

__device__ inline void multiply_add(float (&sum)[4], const unsigned (&pixels)[4],
                                    const unsigned (&weights)[2]) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(pixels[0]), "r"(pixels[1]), "r"(pixels[2]), "r"(pixels[3]), "r"(weights[0]),
                   "r"(weights[1]));
}

/* This thread's share of the copies of a stage. */
struct Copies {
    const float4 *d_pixel[SHARES], *d_weight;
    bool inside[SHARES];

    __device__ Copies(const Layer &layer, int group, int top, int left) {
#pragma unroll
        for (int i = 0; i < SHARES; i++) {
            const int place = threadIdx.x + i * THREADS;
            const int y = top + place / WIDE_WIDTH - SIZE / 2;
            const int x = left + place % WIDE_WIDTH - SIZE / 2;
            inside[i] = place < WIDE && y >= 0 && y < layer.height && x >= 0 && x < layer.width;
            d_pixel[i] = layer.d_image + (inside[i] ? (size_t)y * layer.width + x : 0);
        }
        d_weight = layer.d_bank + (size_t)group * layer.quads * TAPS * GROUP + threadIdx.x;
    }

    /* Begins to copy the stage from `quad` on, if there is one. */
    __device__ void begin(const Layer &layer, int quad, unsigned s_stage) const {
        const size_t plane = (size_t)layer.height * layer.width;
        const unsigned s_to = s_stage + QUAD_BYTES * threadIdx.x;
        if (quad < layer.quads) {
#pragma unroll
            for (int i = 0; i < SHARES; i++) {
                if (threadIdx.x + i * THREADS < WIDE) {
                    const unsigned s_pixel = s_to + QUAD_BYTES * i * THREADS;
                    copy_async(s_pixel, d_pixel[i] + quad * plane, inside[i]);
                    copy_async(s_pixel + QUAD_BYTES * WIDE, d_pixel[i] + (quad + 1) * plane,
                               inside[i]);
                }
            }
            const float4 *d_from = d_weight + (size_t)quad * TAPS * GROUP;
#pragma unroll
            for (int i = 0; i < WEIGHT_SHARES; i++) {
                if (threadIdx.x + i * THREADS < WEIGHTS) {
                    copy_async(s_to + QUAD_BYTES * (2 * WIDE + i * THREADS), d_from + i * THREADS,
                               true);
                }
            }
        }
        asm volatile("cp.async.commit_group;" : : : "memory");
    }
};

/* Adds the products of a stage. s_pixels, s_weights: the rows that this lane gives to ldmatrix. */
__device__ inline void multiply_stage(float (&sum)[PIXELS][MASKS][4],
                                      const unsigned (&s_pixels)[PIXELS], unsigned s_weights) {
#pragma unroll
    for (int tap = 0; tap < TAPS; tap++) {
        unsigned pixels[PIXELS][4], weights[MASKS][2];
#pragma unroll
        for (int i = 0; i < PIXELS; i++) {
            const int shift = tap / SIZE * WIDE_WIDTH + tap % SIZE;
            load_four(pixels[i], s_pixels[i] + QUAD_BYTES * shift);
        }
#pragma unroll
        for (int m = 0; m + 1 < MASKS; m += 2) {
            unsigned four[4];
            load_four(four, s_weights + QUAD_BYTES * (tap * GROUP + 8 * m));
            weights[m][0] = four[0], weights[m][1] = four[1];
            weights[m + 1][0] = four[2], weights[m + 1][1] = four[3];
        }
        load_two(weights[MASKS - 1][0], weights[MASKS - 1][1],
                 s_weights + QUAD_BYTES * (tap * GROUP + 8 * (MASKS - 1)));
#pragma unroll
        for (int i = 0; i < PIXELS; i++) {
#pragma unroll
            for (int m = 0; m < MASKS; m++) {
                multiply_add(sum[i][m], pixels[i], weights[m]);
            }
        }
    }
}

__global__ void __launch_bounds__(THREADS, 2) convolution_kernel(const Layer layer) {
    extern __shared__ float4 s_quads[];
    const int groups = (layer.masks + GROUP - 1) / GROUP;
    const int across = (layer.width + TILE_WIDTH - 1) / TILE_WIDTH;
    const int group = blockIdx.x % groups, tile = blockIdx.x / groups;
    const int top = tile / across * TILE_HEIGHT, left = tile % across * TILE_WIDTH;
    const int lane = threadIdx.x % WARP, first = threadIdx.x / WARP * PIXELS * 16;
    const unsigned s_first = (unsigned)__cvta_generic_to_shared(s_quads);
    const Copies copies(layer, group, top, left);
    float sum[PIXELS][MASKS][4] = {};
    int row[PIXELS]; /* of this lane in the matrices of pixels: 16 pixels of one quad, then the
                        other */
#pragma unroll
    for (int i = 0; i < PIXELS; i++) {
        const int pixel = first + 16 * i + lane % 16;
        row[i] = lane / 16 * WIDE + pixel / TILE_WIDTH * WIDE_WIDTH + pixel % TILE_WIDTH;
    }
    /* In the matrices of weights: 8 masks of one quad, then the other, then 8 further masks. */
    const int weight_row = 2 * WIDE + lane / 8 % 2 * TAPS * GROUP + lane / 16 * 8 + lane % 8;

#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
        copies.begin(layer, 2 * i, s_first + QUAD_BYTES * i * STAGE);
    }
    int stage = 0;
    for (int quad = 0; quad < layer.quads; quad += 2) {
        const int next = stage == 0 ? STAGES - 1 : stage - 1;
        const unsigned s_stage = s_first + QUAD_BYTES * stage * STAGE;
        asm volatile("cp.async.wait_group %0;" : : "n"(STAGES - 2) : "memory");
        __syncthreads();
        copies.begin(layer, quad + 2 * (STAGES - 1), s_first + QUAD_BYTES * next * STAGE);
        unsigned s_pixels[PIXELS];
#pragma unroll
        for (int i = 0; i < PIXELS; i++) {
            s_pixels[i] = s_stage + QUAD_BYTES * row[i];
        }
        multiply_stage(sum, s_pixels, s_stage + QUAD_BYTES * weight_row);
        stage = stage == STAGES - 1 ? 0 : stage + 1;
    }

    const size_t plane = (size_t)layer.height * layer.width;
#pragma unroll
    for (int i = 0; i < 2 * PIXELS; i++) {
        const int pixel = first + 8 * i + lane / 4;
        const int y = top + pixel / TILE_WIDTH, x = left + pixel % TILE_WIDTH;
#pragma unroll
        for (int m = 0; m < 2 * MASKS; m++) {
            const int n = group * GROUP + m / 2 * 8 + lane % 4 * 2 + m % 2;
            if (n < layer.masks && y < layer.height && x < layer.width) {
                layer.d_out[n * plane + (size_t)y * layer.width + x] =
                    sum[i / 2][m / 2][i % 2 * 2 + m % 2];
            }
        }
    }
}

/* ---- launches ---- */

static cudaError_t launch(const float *d_image, const float *d_bank, int channels,
                          const Layer &layer, float4 *d_arranged_image, float4 *d_arranged_bank) {
    const size_t plane = (size_t)layer.height * layer.width;
    const size_t weights = (size_t)ceil_div(layer.masks, GROUP) * GROUP * layer.quads * TAPS;
    const size_t bytes = (size_t)STAGES * STAGE * QUAD_BYTES;
    const unsigned blocks = ceil_div(layer.masks, GROUP) * ceil_div(layer.width, TILE_WIDTH) *
                            ceil_div(layer.height, TILE_HEIGHT);
    cudaError_t error = cudaSuccess;

    arrange_image<<<dim3(ceil_div(plane, ARRANGE_THREADS), layer.quads), ARRANGE_THREADS>>>(
        d_image, channels, plane, d_arranged_image);
    arrange_bank<<<ceil_div(weights, ARRANGE_THREADS), ARRANGE_THREADS>>>(
        d_bank, channels, layer.masks, layer.quads, d_arranged_bank, weights);
    error = cudaGetLastError();
    if (error == cudaSuccess) {
        error = cudaFuncSetAttribute(convolution_kernel,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    }
    if (error == cudaSuccess) {
        convolution_kernel<<<blocks, THREADS, bytes>>>(layer);
        error = cudaGetLastError();
    }
    return error;
}

/* Memory of the device's pool. The pool keeps it for the next call instead of giving it back. */
static cudaError_t take(float4 **d_memory, size_t quads) {
    uint64_t most = UINT64_MAX;
    cudaMemPool_t pool;
    int device;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) {
        error = cudaDeviceGetDefaultMemPool(&pool, device);
    }
    if (error == cudaSuccess) {
        error = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most);
    }
    return error == cudaSuccess ? cudaMallocAsync((void **)d_memory, quads * QUAD_BYTES, 0) : error;
}

/* As in lab.h, but with factors rounded to TF32. */
cudaError_t convolution_float(const float *d_image, int channels, int height, int width,
                              const float *d_bank, int masks, float *d_out) {
    const int quads = 2 * (int)ceil_div(channels, 8);
    const size_t pixels = (size_t)quads * height * width;
    const size_t weights = (size_t)ceil_div(masks, GROUP) * GROUP * quads * TAPS;
    float4 *d_memory = NULL;
    cudaError_t error = take(&d_memory, pixels + weights);
    if (error != cudaSuccess) {
        return error;
    }
    const Layer layer = {d_memory, d_memory + pixels, d_out, quads, height, width, masks};
    error = launch(d_image, d_bank, channels, layer, d_memory, d_memory + pixels);
    const cudaError_t freed = cudaFreeAsync(d_memory, 0);
    return error != cudaSuccess ? error : freed;
}
