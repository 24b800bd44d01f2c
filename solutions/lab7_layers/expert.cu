/* Lab 7 with a faster part C for floats: 16 pixels of 8 masks in the registers of a thread. All
 * else is layers.cu. A block computes with the channels of one stage while the next stage is being
 * copied to shared memory. notes.md, "The expert", says what each step gains. */
#include "lab.h"

#define convolution_float convolution_of_tiles
#include "layers.cu"
#undef convolution_float

/* A thread computes HIGH rows of four neighbouring pixels for DEEP masks. LANES threads of a warp
 * are side by side; a block has DOWN x GROUPS warps: GROUPS groups of masks. It computes SIDE x
 * SIDE pixels of MASKS masks, STAGE_CHANNELS channels in a stage. */
enum { WARP = 32, LANES = 8, HIGH = 4, DEEP = 8, DOWN = 2, GROUPS = 4, STAGE_CHANNELS = 4 };
enum { SIDE = 4 * LANES, MASKS = DEEP * GROUPS, BLOCK_THREADS = WARP * DOWN * GROUPS };
enum { TAPS = SIZE * SIZE, EDGE = SIDE + 2 * RADIUS, TILE_PIXELS = EDGE * EDGE };

/* In shared memory the rows of a channel are PITCH floats apart, channels PLANE; the weights are
 * behind the pixels of all channels: those of a tap side by side. PITCH keeps rows aligned. */
enum { PITCH = (EDGE + 3) / 4 * 4, PLANE = PITCH * EDGE };
enum { STAGE = STAGE_CHANNELS * (PLANE + TAPS * MASKS) };

enum { SHARES = (TILE_PIXELS + BLOCK_THREADS - 1) / BLOCK_THREADS };
enum { STAGE_WEIGHTS = STAGE_CHANNELS * TAPS, MASK_STEP = BLOCK_THREADS / STAGE_WEIGHTS };

struct Layer {
    const float *d_image, *d_bank;
    float *d_out;
    int channels, height, masks;
    size_t width;
};

/* A block's group of masks and its tile: neighbouring blocks have the same tile, so that most of
 * them find its pixels in the L2 cache. */
struct Place {
    int first_mask;
    size_t top, left;

    __device__ explicit Place(const Layer &layer) {
        const unsigned groups = (layer.masks + MASKS - 1) / MASKS;
        const size_t across = (layer.width + SIDE - 1) / SIDE;
        const unsigned tile = blockIdx.x / groups;
        first_mask = blockIdx.x % groups * MASKS;
        top = tile / across * SIDE;
        left = tile % across * SIDE;
    }
};

/* Copies a float to shared memory, or 0 where it does not exist. It is there after
 * wait_for_copies() and a barrier. The simulator knows no such copies. */
__device__ inline void copy_async(float *s_to, const float *d_from, bool exists) {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(s_to)), "l"(d_from), "n"(sizeof(float)),
                   "r"(exists ? (int)sizeof(float) : 0)
                 : "memory");
#else
    *s_to = exists ? *d_from : 0.0f;
#endif
}

/* Waits for all copies of this thread. */
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

/* A thread's share of the copies. It copies the same places of the tile for every channel, and the
 * same weight of every MASK_STEP-th mask, so that the index arithmetic is done once, before the
 * first stage. */
struct Copies {
    int channel;       /* 0, but a variable: nvcc then tests it with the place, without a branch */
    int mask, number;  /* this thread's first mask, and weight of it */
    int place[SHARES]; /* in the tile */
    bool inside[SHARES];
    const float *d_pixel[SHARES], *d_weight;
    int masks; /* from `mask` on */

    __device__ Copies(const Layer &layer, const Place &block) {
        const int thread = threadIdx.x;
        channel = thread / BLOCK_THREADS;
        mask = thread / STAGE_WEIGHTS;
        number = thread % STAGE_WEIGHTS;
        masks = layer.masks - block.first_mask - mask;
        d_weight =
            layer.d_bank + (size_t)(block.first_mask + mask) * layer.channels * TAPS + number;
#pragma unroll
        for (int i = 0; i < SHARES; i++) {
            place[i] = thread % BLOCK_THREADS + i * BLOCK_THREADS;
            const long long y = (long long)block.top + place[i] / EDGE - RADIUS;
            const long long x = (long long)block.left + place[i] % EDGE - RADIUS;
            inside[i] = channel < 1 && place[i] < TILE_PIXELS && y >= 0 && y < layer.height &&
                        x >= 0 && x < (long long)layer.width;
            d_pixel[i] = layer.d_image + (inside[i] ? y * layer.width + x : 0);
        }
    }

    /* Begins to copy the channels from `first` on, if there are any. */
    __device__ void begin(const Layer &layer, int first, float *s_stage) const {
        const size_t plane = layer.height * layer.width;
        const size_t bank = (size_t)layer.channels * TAPS; /* weights of a mask */
        if (first >= layer.channels) {
            return;
        }
#pragma unroll
        for (int i = 0; i < SHARES; i++) {
            if (channel < 1 && place[i] < TILE_PIXELS) {
                const int at = place[i] / EDGE * PITCH + place[i] % EDGE;
#pragma unroll
                for (int c = channel; c < channel + STAGE_CHANNELS; c++) {
                    copy_async(s_stage + c * PLANE + at, d_pixel[i] + (first + c) * plane,
                               inside[i] && first + c < layer.channels);
                }
            }
        }
        const int c = number / TAPS;
        float *s_to = s_stage + STAGE_CHANNELS * PLANE + number * MASKS + mask;
        if (mask < MASK_STEP) {
#pragma unroll
            for (int m = 0; m < MASKS; m += MASK_STEP) {
                if (mask + m < MASKS) {
                    copy_async(s_to + m, d_weight + first * TAPS + m * bank,
                               m < masks && first + c < layer.channels);
                }
            }
        }
    }
};

/* Reads `count` floats from shared memory, four at a time. */
template <int count> __device__ inline void read(float (&to)[count], const float *s_from) {
#pragma unroll
    for (int i = 0; i < count; i += 4) {
        const float4 four = *(const float4 *)(s_from + i);
        to[i] = four.x, to[i + 1] = four.y, to[i + 2] = four.z, to[i + 3] = four.w;
    }
}

/* Adds the products of one stage. s_pixels and s_weights: of this thread, for the first channel. */
__device__ inline void multiply_stage(float (&sum)[DEEP][HIGH][4], const float *s_pixels,
                                      const float *s_weights) {
#pragma unroll 1
    for (int c = 0; c < STAGE_CHANNELS; c++) {
        float pixel[HIGH + 2 * RADIUS][8], weight[DEEP];
#pragma unroll
        for (int i = 0; i < HIGH + 2 * RADIUS; i++) {
            read(pixel[i], s_pixels + c * PLANE + i * PITCH);
        }
#pragma unroll
        for (int tap = 0; tap < TAPS; tap++) {
            read(weight, s_weights + (c * TAPS + tap) * MASKS);
#pragma unroll
            for (int m = 0; m < DEEP; m++) {
#pragma unroll
                for (int i = 0; i < 4 * HIGH; i++) {
                    sum[m][i / 4][i % 4] +=
                        pixel[i / 4 + tap / SIZE][i % 4 + tap % SIZE] * weight[m];
                }
            }
        }
    }
}

__global__ void __launch_bounds__(BLOCK_THREADS, 1) stages_kernel(const Layer layer) {
    extern __shared__ float4 s_fours[]; /* so that it is aligned for read() */
    const Place block(layer);
    const Copies copies(layer, block);
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const int row = (warp / GROUPS * (WARP / LANES) + lane / LANES) * HIGH;
    const int column = lane % LANES * 4, mask = warp % GROUPS * DEEP;
    float *s_now = (float *)s_fours, *s_next = s_now + STAGE;
    float sum[DEEP][HIGH][4] = {};

    copies.begin(layer, 0, s_now);
    for (int first = 0; first < layer.channels; first += STAGE_CHANNELS) {
        wait_for_copies();
        __syncthreads(); /* s_now is complete, and nobody reads s_next any more */
        copies.begin(layer, first + STAGE_CHANNELS, s_next);
        multiply_stage(sum, s_now + row * PITCH + column, s_now + STAGE_CHANNELS * PLANE + mask);
        float *const s_used = s_now;
        s_now = s_next;
        s_next = s_used;
    }

    const size_t plane = layer.height * layer.width;
#pragma unroll
    for (int m = 0; m < DEEP; m++) {
        const int n = block.first_mask + mask + m;
#pragma unroll
        for (int i = 0; i < 4 * HIGH; i++) {
            const size_t y = block.top + row + i / 4, x = block.left + column + i % 4;
            if (n < layer.masks && y < (size_t)layer.height && x < layer.width) {
                layer.d_out[n * plane + y * layer.width + x] = sum[m][i / 4][i % 4];
            }
        }
    }
}

/* For fewer masks the kernel would compute mostly what nobody needs. */
enum { LEAST_MASKS = 4 };

cudaError_t convolution_float(const float *d_image, int channels, int height, int width,
                              const float *d_bank, int masks, float *d_out) {
    if (masks < LEAST_MASKS) {
        return convolution_of_tiles(d_image, channels, height, width, d_bank, masks, d_out);
    }
    const Layer layer = {d_image, d_bank, d_out, channels, height, masks, (size_t)width};
    const unsigned tiles = ceil_div(width, SIDE) * ceil_div(height, SIDE);
    const size_t bytes = 2 * STAGE * sizeof(float); /* more than a kernel gets unasked */
    const cudaError_t error = cudaFuncSetAttribute(
        stages_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (error != cudaSuccess) {
        return error;
    }
    stages_kernel<<<ceil_div(masks, MASKS) * tiles, BLOCK_THREADS, bytes>>>(layer);
    return cudaGetLastError();
}
