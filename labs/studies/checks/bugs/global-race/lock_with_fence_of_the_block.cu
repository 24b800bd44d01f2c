// The lock is of all blocks, and the fence behind it is of one block only.
#include "../../check.h"

__device__ int lock;

__global__ void newest(int *last, int *count)
{
    while (atomicCAS(&lock, 0, 1) != 0) { }
    __threadfence_block();
    *last = (int)blockIdx.x; // BUG
    __threadfence();
    atomicExch(&lock, 0);
    atomicAdd(count, 1);
}

int main(void)
{
    int *d_last = device_zeros<int>(1), *d_count = device_zeros<int>(1);
    newest<<<6, 1>>>(d_last, d_count);
    CHECK_KERNEL();
    EXPECT(d_count, 1, 6);
    return finish();
}
