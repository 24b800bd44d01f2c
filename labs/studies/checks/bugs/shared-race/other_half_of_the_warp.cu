// Each half of the warp waits for itself, and then reads what the other half writes.
#include "../../check.h"

__global__ void exchange(int *out)
{
    __shared__ int s_value[32];
    int lane = threadIdx.x;
    unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    s_value[lane] = lane;  // BUG (other side)
    __syncwarp(half);
    out[lane] = s_value[lane ^ 16];  // BUG
}

int main(void)
{
    int *d_out = device_array<int>(32);
    exchange<<<1, 32>>>(d_out);
    CHECK_KERNEL();
    return finish();
}
