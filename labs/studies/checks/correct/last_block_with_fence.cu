// The block that draws the last ticket adds up what the others published behind a fence.
#include "../check.h"

__device__ unsigned int tickets;

__global__ void total(const int *in, volatile int *partial, int *out)
{
    if (threadIdx.x != 0) return;
    int sum = 0;
    for (int k = 0; k < 40; k++) sum += in[blockIdx.x * 40 + k];
    partial[blockIdx.x] = sum;
    __threadfence();
    unsigned int ticket = atomicInc(&tickets, gridDim.x - 1);
    if (ticket == gridDim.x - 1) {
        __threadfence();
        int all = 0;
        for (unsigned int b = 0; b < gridDim.x; b++) all += partial[b];
        *out = all;
    }
}

int main(void)
{
    const int blocks = 7, n = blocks * 40;
    int *d_in = DEVICE_ARRAY(int, n, 3), *d_partial = device_zeros<int>(blocks);
    int *d_out = device_zeros<int>(1);
    total<<<blocks, 32>>>(d_in, d_partial, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 1, 3 * n);
    return finish();
}
