// zoo: right
//
// One kernel for A, B and C: the shape of block and tile, and where the mask is, are parameters,
// and all shared memory is dynamic. D computes one row of 8 outputs a thread from float4s.
#include "lab.h"

__constant__ float c_weights[MASK_MAX_SIZE];

struct shape {
    int tile_w, tile_h; /* of the tile */
    int idle;           /* how far the threads reach beyond it on each side */
};

struct source {
    const float *image;
    int width, height;
    enum border border;
};

__device__ float fetch(const source &in, int x, int y) {
    int cx = x, cy = y;
    if (cx < 0) {
        cx = 0;
    }
    if (cy < 0) {
        cy = 0;
    }
    if (cx > in.width - 1) {
        cx = in.width - 1;
    }
    if (cy > in.height - 1) {
        cy = in.height - 1;
    }
    if (in.border == BORDER_ZERO && (cx != x || cy != y)) {
        return 0.f;
    }
    return __ldg(&in.image[cx + (size_t)cy * in.width]);
}

__global__ void any_mask(source in, shape s, int radius, const float *d_mask, float *d_out) {
    extern __shared__ float s_memory[];
    const int size = 2 * radius + 1;
    const int wide = s.tile_w + 2 * radius, high = s.tile_h + 2 * radius;
    for (int v = threadIdx.y; v < high; v += blockDim.y) {
        for (int u = threadIdx.x; u < wide; u += blockDim.x) {
            s_memory[v * wide + u] = fetch(in, (int)blockIdx.x * s.tile_w + u - radius,
                                           (int)blockIdx.y * s.tile_h + v - radius);
        }
    }
    float *s_mask = s_memory + wide * high;
    if (d_mask != NULL) {
        for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < size * size;
             i += blockDim.x * blockDim.y) {
            s_mask[i] = d_mask[i];
        }
    }
    __syncthreads();
    const int u = (int)threadIdx.x - s.idle, v = (int)threadIdx.y - s.idle;
    const int x = blockIdx.x * s.tile_w + u, y = blockIdx.y * s.tile_h + v;
    if (u < 0 || v < 0 || u >= s.tile_w || v >= s.tile_h || x >= in.width || y >= in.height) {
        return;
    }
    float sum = 0.f;
    for (int b = 0; b < size; b++) {
        float of_row = 0.f;
        for (int a = 0; a < size; a++) {
            const float weight = d_mask ? s_mask[b * size + a] : c_weights[b * size + a];
            of_row += weight * s_memory[(v + b) * wide + u + a];
        }
        sum += of_row;
    }
    d_out[x + (size_t)y * in.width] = sum;
}

template <int R> __global__ void eight(source in, float *d_out) {
    constexpr int SIZE = 2 * R + 1, FLOATS = (8 + 2 * R + 3) & ~3, WIDE = 128 + FLOATS - 8;
    __shared__ alignas(16) float s_tile[16 + 2 * R][WIDE];
    for (int v = threadIdx.y; v < 16 + 2 * R; v += 16) {
        for (int u = threadIdx.x; u < WIDE; u += 16) {
            s_tile[v][u] =
                fetch(in, (int)(128 * blockIdx.x) + u - R, (int)(16 * blockIdx.y) + v - R);
        }
    }
    __syncthreads();
    float sum[8] = {0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f}, line[FLOATS];
#pragma unroll
    for (int b = 0; b < SIZE; b++) {
#pragma unroll
        for (int k = 0; k < FLOATS / 4; k++) {
            const float4 four = *reinterpret_cast<const float4 *>(
                &s_tile[threadIdx.y + b][8 * threadIdx.x + 4 * k]);
            line[4 * k + 0] = four.x;
            line[4 * k + 1] = four.y;
            line[4 * k + 2] = four.z;
            line[4 * k + 3] = four.w;
        }
#pragma unroll
        for (int a = 0; a < SIZE; a++) {
            const float weight = c_weights[b * SIZE + a];
#pragma unroll
            for (int i = 0; i < 8; i++) {
                sum[i] += weight * line[i + a];
            }
        }
    }
    const int x = blockIdx.x * 128 + 8 * threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    for (int i = 0; i < 8 && y < in.height && x + i < in.width; i++) {
        d_out[x + i + (size_t)y * in.width] = sum[i];
    }
}

cudaError_t set_mask(const float *h_mask, int radius) {
    if (radius > MASK_MAX_RADIUS || radius < 0) {
        return cudaErrorInvalidValue;
    }
    return cudaMemcpyToSymbol(c_weights, h_mask,
                              sizeof(float) * (2 * radius + 1) * (2 * radius + 1));
}

static cudaError_t run(const source &in, const shape &s, dim3 block, int radius,
                       const float *d_mask, float *d_out) {
    if (radius < 0 || radius > 999)
        return cudaErrorInvalidValue; /* far beyond any device */
    const int wide = s.tile_w + 2 * radius, high = s.tile_h + 2 * radius, size = 2 * radius + 1;
    const int bytes = (int)sizeof(float) * (wide * high + (d_mask ? size * size : 0));
    cudaError_t error =
        cudaFuncSetAttribute(any_mask, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess)
        return error; /* cudaErrorInvalidValue: it does not fit */
    const dim3 grid((in.width + s.tile_w - 1) / s.tile_w, (in.height + s.tile_h - 1) / s.tile_h);
    any_mask<<<grid, block, bytes>>>(in, s, radius, d_mask, d_out);
    return cudaGetLastError();
}

cudaError_t correlate_idle(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    const int beyond = 2 * radius;
    return run({d_image, width, height, border}, {32 - beyond, 32 - beyond, radius}, dim3(32, 32),
               radius, NULL, d_out);
}

cudaError_t correlate_tile(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    return run({d_image, width, height, border}, {64, 8, 0}, dim3(64, 8), radius, NULL, d_out);
}

cudaError_t correlate_dynamic(const float *d_image, int width, int height, const float *d_mask,
                              int radius, enum border border, float *d_out) {
    return run({d_image, width, height, border}, {DYNAMIC_TILE, DYNAMIC_TILE, 0}, dim3(32, 32),
               radius, d_mask, d_out);
}

cudaError_t correlate_register(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    const source in = {d_image, width, height, border};
    const dim3 grid((width + 127) / 128, (height + 15) / 16), block(16, 16);
    switch (radius) {
    case 0:
        eight<0><<<grid, block>>>(in, d_out);
        break;
    case 1:
        eight<1><<<grid, block>>>(in, d_out);
        break;
    case 2:
        eight<2><<<grid, block>>>(in, d_out);
        break;
    case 3:
        eight<3><<<grid, block>>>(in, d_out);
        break;
    case 4:
        eight<4><<<grid, block>>>(in, d_out);
        break;
    case 5:
        eight<5><<<grid, block>>>(in, d_out);
        break;
    case 6:
        eight<6><<<grid, block>>>(in, d_out);
        break;
    case 7:
        eight<7><<<grid, block>>>(in, d_out);
        break;
    case 8:
        eight<8><<<grid, block>>>(in, d_out);
        break;
    default:
        return cudaErrorInvalidValue;
    }
    return cudaGetLastError();
}
