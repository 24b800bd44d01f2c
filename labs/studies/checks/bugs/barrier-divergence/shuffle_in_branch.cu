// The mask names 32 lanes, but only the 20 inside the image come to the shuffle.
#include "../../check.h"

__global__ void warp_sum(const float *in, float *out, int n)
{
    int lane = threadIdx.x;
    float v = 1.0f;
    if (lane < n) {
        v = in[lane];
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_xor_sync(0xffffffffu, v, d);  // BUG
    }
    out[lane] = v;
}

int main(void)
{
    const int n = 20;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(32);
    warp_sum<<<1, 32>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, 32);
    return finish();
}
