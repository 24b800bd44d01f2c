// expect: leak
// Every round creates an event; only the last one is destroyed.
#include "../../check.h"

__device__ int d_table[1000];

__global__ void fill_table(int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1000) d_table[i] = value + i;
}

int main(void)
{
    cudaEvent_t done = NULL;
    for (int round = 0; round < 3; round++) {
        CHECK(cudaEventCreate(&done));  // BUG
        fill_table<<<4, 256>>>(round);
        CHECK(cudaEventRecord(done));
        CHECK(cudaEventSynchronize(done));
    }
    CHECK(cudaEventDestroy(done));
    return failures != 0;
}
