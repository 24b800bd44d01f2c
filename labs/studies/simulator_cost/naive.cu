/* Two kernels as many programs have them, for what --profile and --check cost beside a plain run: a
 * matrix product that sums in global memory, and a 3x3 convolution. Prints a line per launch: its
 * name and the processor time that it took, in seconds. */
#include <stdio.h>
#include <stdlib.h>

#include "now.h"

enum { N = 256, SIDE = 1024 };

__global__ void gemm(int n, float alpha, float beta, const float *a, const float *b, float *c) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        c[i * n + j] *= beta;
        for (int k = 0; k < n; k++) {
            c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
        }
    }
}

__global__ void convolution(int n, const float *in, float *out) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    const float c11 = 0.2f, c12 = -0.3f, c13 = 0.4f, c21 = 0.5f, c22 = 0.6f, c23 = 0.7f;
    const float c31 = -0.8f, c32 = -0.9f, c33 = 0.1f;
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1) {
        out[i * n + j] = c11 * in[(i - 1) * n + j - 1] + c12 * in[(i - 1) * n + j] +
                         c13 * in[(i - 1) * n + j + 1] + c21 * in[i * n + j - 1] +
                         c22 * in[i * n + j] + c23 * in[i * n + j + 1] +
                         c31 * in[(i + 1) * n + j - 1] + c32 * in[(i + 1) * n + j] +
                         c33 * in[(i + 1) * n + j + 1];
    }
}

static float *on_device(size_t count) {
    float *memory;
    if (cudaMalloc((void **)&memory, count * sizeof *memory) != cudaSuccess) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    cudaMemset(memory, 0, count * sizeof *memory);
    return memory;
}

int main(void) {
    float *a = on_device(N * N), *b = on_device(N * N), *c = on_device(N * N);
    float *in = on_device(SIDE * SIDE), *out = on_device(SIDE * SIDE);
    double t = now();
    gemm<<<dim3(N / 32, N / 8), dim3(32, 8)>>>(N, 1.5f, 0.5f, a, b, c);
    cudaDeviceSynchronize();
    printf("gemm %.6f\n", now() - t);
    t = now();
    convolution<<<dim3(SIDE / 32, SIDE / 8), dim3(32, 8)>>>(SIDE, in, out);
    cudaDeviceSynchronize();
    printf("convolution %.6f\n", now() - t);
    float *all[] = {a, b, c, in, out};
    for (float *memory : all) {
        cudaFree(memory);
    }
    return 0;
}
