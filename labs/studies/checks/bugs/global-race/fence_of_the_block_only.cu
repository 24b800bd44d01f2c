// __threadfence_block() orders nothing for other blocks.
#include "../../check.h"

__device__ unsigned finished;

__global__ void sum(int *parts, int *total)
{
    if (threadIdx.x != 0) return;
    parts[blockIdx.x] = blockIdx.x;  // BUG (other side)
    __threadfence_block();
    if (atomicInc(&finished, gridDim.x) == gridDim.x - 1) {
        int s = 0;
        for (unsigned b = 0; b < gridDim.x; b++) s += parts[b];  // BUG
        *total = s;
    }
}

int main(void)
{
    int *d_parts = device_array<int>(8), *d_total = device_array<int>(1);
    sum<<<8, 32>>>(d_parts, d_total);
    CHECK_KERNEL();
    return finish();
}
