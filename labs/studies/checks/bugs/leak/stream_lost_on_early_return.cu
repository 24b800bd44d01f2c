// expect: leak
// The function returns early and forgets its stream.
#include "../../check.h"

__device__ int d_table[1000];

__global__ void fill_table(int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1000) d_table[i] = value + i;
}

static bool work(int rounds)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));  // BUG
    if (rounds == 0) return false;
    for (int r = 0; r < rounds; r++) fill_table<<<4, 256, 0, stream>>>(r);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    return true;
}

int main(void)
{
    if (!work(2) || work(0)) failures++;
    return failures != 0;
}
