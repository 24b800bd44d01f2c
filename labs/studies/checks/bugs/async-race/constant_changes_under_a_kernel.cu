// expect: async-race
// A copy in another stream changes the constant that a kernel may still read.
#include "../../check.h"

__constant__ int c_factor;

__global__ void scale(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = i * c_factor;
}

int main(void)
{
    const int n = 1000;
    int *pinned = NULL, *d_data = NULL, factor = 3;
    CHECK(cudaMallocHost((void **)&pinned, sizeof(int)));
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    CHECK(cudaMemcpyToSymbol(c_factor, &factor, sizeof factor));
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    *pinned = 5;
    scale<<<4, 256, 0, first>>>(d_data, n);  // BUG
    CHECK(cudaMemcpyToSymbolAsync(c_factor, pinned, sizeof(int), 0, cudaMemcpyHostToDevice, second));  // BUG (other side)
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(d_data));
    return failures != 0;
}
