/* What warp functions and barriers cost in a plain run. Prints a line per kernel: its name, the least
 * processor time of a launch in seconds, and how many lanes called the function in it. */
#include <stdio.h>

#include "now.h"

#define FULL 0xffffffffu
#define THREADS 256
#define BLOCKS 16
#define TIMES 512 /* calls of each thread */

__global__ void shuffle(int *out) {
    int value = threadIdx.x;
    for (int i = 0; i < TIMES; i++) {
        value += __shfl_xor_sync(FULL, value, i & 31);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void vote(int *out) {
    unsigned value = threadIdx.x;
    for (int i = 0; i < TIMES; i++) {
        value += __ballot_sync(FULL, value >> (i & 7) & 1);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = (int)value;
}

__global__ void syncwarp(int *out) {
    volatile __shared__ int s_value[THREADS];
    const int t = threadIdx.x;
    s_value[t] = t;
    for (int i = 0; i < TIMES; i++) {
        __syncwarp();
    }
    out[blockIdx.x * blockDim.x + t] = s_value[t ^ 1];
}

/* Two halves of a warp, each with its own mask. */
__global__ void half_warps(int *out) {
    const unsigned mask = threadIdx.x & 16 ? 0xffff0000u : 0x0000ffffu;
    int value = threadIdx.x;
    for (int i = 0; i < TIMES; i++) {
        value += __shfl_xor_sync(mask, value, i & 15, 16);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void syncthreads(int *out) {
    __shared__ int s_value[THREADS];
    const int t = threadIdx.x;
    int value = t;
    for (int i = 0; i < TIMES; i += 2) {
        s_value[t] = value;
        __syncthreads();
        value += s_value[(t + 1) % THREADS];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = value;
}

static void measure(const char *name, void (*kernel)(int *), int *out) {
    double least = 1e30;
    for (int i = 0; i < 5; i++) {
        const double begin = now();
        kernel<<<BLOCKS, THREADS>>>(out);
        cudaDeviceSynchronize();
        least = now() - begin < least ? now() - begin : least;
    }
    printf("%s %.6f %lld\n", name, least, (long long)BLOCKS * THREADS * TIMES);
}

int main(void) {
    int *out;
    if (cudaMalloc((void **)&out, BLOCKS * THREADS * sizeof(int)) != cudaSuccess) {
        return 1;
    }
    measure("shuffle", shuffle, out);
    measure("vote", vote, out);
    measure("syncwarp", syncwarp, out);
    measure("half_warps", half_warps, out);
    measure("syncthreads", syncthreads, out);
    cudaFree(out);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
