/* The latency of a GPU's memories, and what a copy reaches with few and with many warps, for
 * handouts/performance.md: nvcc -O3 -arch=native latency.cu -o latency && ./latency
 *
 * A chain of loads: each load gives the index of the next one, so the time of a load is its latency.
 * Every element is 256 bytes from the others. The copy's warps have one load of 128 bytes under way
 * at a time.
 *
 * An NVIDIA H200 (CUDA 13.0, 2026-11-23), clocks: 41.2 in 32 KB (L1 cache), 279.8 in 16 MB (L2
 * cache), 653.6 in 1 GB (DRAM), 29.1 in shared memory; 8, 16, 32, 64 warps on each multiprocessor:
 * 0.67, 1.24, 2.13, 3.05 * 10^12 bytes a second.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEP = 64, FEW = 4096, BLOCK = 256, SHARED = 64 };

static void must(cudaError_t error) {
    if (error != cudaSuccess) {
        fprintf(stderr, "latency: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

/* Follows the chain `loads` times to fill the caches, then as often again with the clock. */
static __global__ void follow(const unsigned *d_chain, int loads, long long *d_clocks,
                              unsigned *d_end) {
    unsigned i = 0;
    for (int k = 0; k < loads; k++) {
        i = d_chain[i];
    }
    const long long begin = clock64();
    for (int k = 0; k < loads; k++) {
        i = d_chain[i];
    }
    *d_clocks = clock64() - begin;
    *d_end = i;
}

static __global__ void follow_shared(int loads, long long *d_clocks, unsigned *d_end) {
    __shared__ unsigned s_chain[SHARED];
    s_chain[threadIdx.x] = (threadIdx.x * 7 + 1) % SHARED;
    __syncthreads();
    unsigned i = 0;
    const long long begin = clock64();
    for (int k = 0; k < loads; k++) {
        i = s_chain[i];
    }
    const long long clocks = clock64() - begin;
    if (threadIdx.x == 0) {
        *d_clocks = clocks;
        *d_end = i;
    }
}

static __global__ void copy(const float *d_from, float *d_to, size_t count) {
    const size_t step = (size_t)gridDim.x * BLOCK;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < count; i += step) {
        d_to[i] = d_from[i];
    }
}

/* A chain through all elements of `bytes` bytes, a power of two: i -> 5 i + 12345. */
static void write_chain(unsigned *h_chain, size_t bytes) {
    const size_t elements = bytes / (STEP * sizeof *h_chain);
    for (size_t i = 0; i < elements; i++) {
        h_chain[i * STEP] = (unsigned)((i * 5 + 12345) % elements * STEP);
    }
}

int main(void) {
    const size_t sizes[] = {(size_t)32 << 10, (size_t)16 << 20, (size_t)1 << 30};
    const size_t most = sizes[2];
    unsigned *d_chain, *d_end, *h_chain = (unsigned *)malloc(most);
    long long *d_clocks, clocks;
    float *d_from, *d_to;
    if (h_chain == NULL) {
        fprintf(stderr, "latency: no memory\n");
        return 1;
    }
    must(cudaMalloc(&d_chain, most));
    must(cudaMalloc(&d_end, sizeof *d_end));
    must(cudaMalloc(&d_clocks, sizeof *d_clocks));
    for (int s = 0; s < 3; s++) {
        const size_t elements = sizes[s] / (STEP * sizeof *h_chain);
        const int loads = elements < FEW ? (int)elements : FEW;
        write_chain(h_chain, sizes[s]);
        must(cudaMemcpy(d_chain, h_chain, sizes[s], cudaMemcpyHostToDevice));
        if (s == 1) { /* all of it to the L2 cache */
            follow<<<1, 1>>>(d_chain, (int)elements, d_clocks, d_end);
        }
        follow<<<1, 1>>>(d_chain, loads, d_clocks, d_end);
        must(cudaGetLastError());
        must(cudaMemcpy(&clocks, d_clocks, sizeof clocks, cudaMemcpyDeviceToHost));
        printf("%zu bytes: %.1f clocks\n", sizes[s], (double)clocks / loads);
    }
    follow_shared<<<1, SHARED>>>(FEW, d_clocks, d_end);
    must(cudaGetLastError());
    must(cudaMemcpy(&clocks, d_clocks, sizeof clocks, cudaMemcpyDeviceToHost));
    printf("shared: %.1f clocks\n", (double)clocks / FEW);
    free(h_chain);

    cudaDeviceProp device;
    cudaEvent_t begin, end;
    must(cudaGetDeviceProperties(&device, 0));
    must(cudaEventCreate(&begin));
    must(cudaEventCreate(&end));
    must(cudaMalloc(&d_from, most));
    must(cudaMalloc(&d_to, most));
    for (int blocks = 1; blocks <= 8; blocks *= 2) {
        float ms = 0.0f;
        for (int run = 0; run < 3; run++) { /* the last one counts */
            must(cudaEventRecord(begin, 0));
            copy<<<device.multiProcessorCount * blocks, BLOCK>>>(d_from, d_to,
                                                                 most / sizeof *d_from);
            must(cudaGetLastError());
            must(cudaEventRecord(end, 0));
            must(cudaEventSynchronize(end));
            must(cudaEventElapsedTime(&ms, begin, end));
        }
        printf("%d warps: %.3g bytes a second\n", blocks * BLOCK / 32,
               2.0 * (double)most / (ms * 1e-3));
    }
    return 0;
}
