// A value goes from warp to warp behind a fence of the block, and on to another block behind one of
// the device: that hands on what the warp was given.
#include "../check.h"

__device__ int turn, value;

__device__ void wait_for(int number)
{
    while (atomicAdd(&turn, 0) != number) { }
    __threadfence();
}

__global__ void pass_on(int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        value = 7;
        __threadfence_block();
        atomicExch(&turn, 1);
    } else if (blockIdx.x == 0 && threadIdx.x == 32) {
        wait_for(1);
        value += 1;
        __threadfence();
        atomicExch(&turn, 2);
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        wait_for(2);
        *out = value;
    }
}

int main(void)
{
    int *d_out = device_zeros<int>(1);
    pass_on<<<2, 64>>>(d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 1, 8);
    return finish();
}
