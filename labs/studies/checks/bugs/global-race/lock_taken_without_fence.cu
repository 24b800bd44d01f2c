// Nothing keeps the load of the sum behind the lock: a block may read it before it holds the lock.
#include "../../check.h"

__device__ int lock, sum;

__global__ void add(int value)
{
    if (threadIdx.x != 0) return;
    while (atomicCAS(&lock, 0, 1) != 0) { }
    sum += value; // BUG
    __threadfence();
    atomicExch(&lock, 0);
}

int main(void)
{
    add<<<8, 32>>>(3);
    CHECK_KERNEL();
    return finish();
}
