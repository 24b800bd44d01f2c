// expect: leak
// The stream is never destroyed.
#include "../../check.h"

__device__ int d_table[1000];

__global__ void fill_table(int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1000) d_table[i] = value + i;
}

int main(void)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));  // BUG
    fill_table<<<4, 256, 0, stream>>>(1);
    CHECK(cudaStreamSynchronize(stream));
    return failures != 0;
}
