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
    int factor = 3;
    int *pinned = pinned_array<int>(1), *d_data = device_array<int>(n);
    CHECK(cudaMemcpyToSymbol(c_factor, &factor, sizeof factor));
    cudaStream_t first = new_stream(), second = new_stream();
    *pinned = 5;
    scale<<<4, 256, 0, first>>>(d_data, n);  // BUG
    CHECK(cudaMemcpyToSymbolAsync(c_factor, pinned, sizeof(int), 0, cudaMemcpyHostToDevice, second));  // BUG (other side)
    CHECK(cudaDeviceSynchronize());
    return finish();
}
