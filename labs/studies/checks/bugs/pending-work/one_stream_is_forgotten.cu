// expect: pending-work
// The program waits for one of its two streams.
#include "../../check.h"

__device__ int d_table[1000];

__global__ void fill_table(int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1000) d_table[i] = value + i;
}

int main(void)
{
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    fill_table<<<2, 256, 0, first>>>(1);
    CHECK(cudaStreamSynchronize(first));
    fill_table<<<4, 256, 0, second>>>(2);  // BUG
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    return failures != 0;
}
