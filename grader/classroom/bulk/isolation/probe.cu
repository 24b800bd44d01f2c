/* What a legitimate program does on a GPU: allocates memory, runs a kernel and copies the result back.
 * Exit status 0 when all of it works; else 1, with CUDA's name of the error on stderr. */
#include <cuda_runtime.h>

#include <stdio.h>

enum { COUNT = 1000, BLOCK = 256 };

static __global__ void number(int *d_out) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < COUNT) {
        d_out[i] = i;
    }
}

int main(void) {
    static int out[COUNT];
    int *d_out = NULL, right = 0;
    cudaError_t error = cudaMalloc((void **)&d_out, sizeof out);

    if (error == cudaSuccess) {
        number<<<(COUNT + BLOCK - 1) / BLOCK, BLOCK>>>(d_out);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    }
    for (int i = 0; i < COUNT; i++) {
        right += out[i] == i;
    }
    if (error != cudaSuccess || right != COUNT) {
        fprintf(stderr, "%s, %d of %d right\n", cudaGetErrorName(error), right, COUNT);
        return 1;
    }
    return 0;
}
