/* Whether the GPU still computes: a million numbers are made and added up on it, and the sum is the
 * one that the host computes. Sums of unsigned integers are exact in any order. Exit status 0: the
 * sum is right; 1: it is wrong; 2: CUDA reports an error, which is on stderr. */
#include <cuda_runtime.h>

#include <stdint.h>
#include <stdio.h>

enum { COUNT = 1 << 20, BLOCK = 256 };

static __host__ __device__ uint32_t number(uint32_t i) {
    i = (i ^ (i >> 16)) * 0x7feb352du;
    i = (i ^ (i >> 15)) * 0x846ca68bu;
    return i ^ (i >> 16);
}

static __global__ void make_numbers(uint32_t *d_numbers) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT) {
        d_numbers[i] = number(i);
    }
}

static __global__ void add_numbers(const uint32_t *d_numbers, uint32_t *d_sum) {
    __shared__ uint32_t s_part[BLOCK];
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    s_part[threadIdx.x] = i < COUNT ? d_numbers[i] : 0;
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            s_part[threadIdx.x] += s_part[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        atomicAdd(d_sum, s_part[0]);
    }
}

int main(void) {
    uint32_t *d_numbers = NULL, *d_sum = NULL, sum = 0, expected = 0;
    const unsigned blocks = (COUNT + BLOCK - 1) / BLOCK;

    cudaError_t error = cudaMalloc((void **)&d_numbers, COUNT * sizeof *d_numbers);
    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&d_sum, sizeof *d_sum);
    }
    if (error == cudaSuccess) {
        error = cudaMemset(d_sum, 0, sizeof *d_sum);
    }
    if (error == cudaSuccess) {
        make_numbers<<<blocks, BLOCK>>>(d_numbers);
        add_numbers<<<blocks, BLOCK>>>(d_numbers, d_sum);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);
    }
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorName(error));
        return 2;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        expected += number(i);
    }
    return sum == expected ? 0 : 1;
}
