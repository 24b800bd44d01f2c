// cudaFreeAsync() in a stream that does not wait for the kernel which uses the memory.
#include "../../check.h"

__global__ void fill(int *out, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value + i;  // BUG (other side)
}

int main(void)
{
    const int n = 1000;
    cudaStream_t first = new_stream(), second = new_stream();
    int *d_data = NULL;
    CHECK(cudaMallocAsync((void **)&d_data, n * sizeof(int), first));
    CHECK(cudaStreamSynchronize(first));
    fill<<<4, 256, 0, first>>>(d_data, n, 3);  // BUG
    CHECK(cudaGetLastError());
    CHECK(cudaFreeAsync(d_data, second));  // BUG (other side)
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaStreamSynchronize(second));
    return finish();
}
