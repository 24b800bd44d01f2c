// expect: pending-work
// The event was recorded before the last kernel, so waiting for it does not cover that.
#include "../../check.h"

__device__ int d_table[1000];

__global__ void fill_table(int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1000) d_table[i] = value + i;
}

int main(void)
{
    cudaEvent_t done;
    CHECK(cudaEventCreate(&done));
    fill_table<<<4, 256>>>(1);
    CHECK(cudaEventRecord(done));
    fill_table<<<4, 256>>>(2);  // BUG
    CHECK(cudaGetLastError());
    CHECK(cudaEventSynchronize(done));
    CHECK(cudaEventDestroy(done));
    return failures != 0;
}
