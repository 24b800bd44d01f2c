// 32 threads are one warp, but since Volta that alone orders nothing between its lanes.
#include "../../check.h"

__global__ void swap_pairs(const float *in, float *out)
{
    __shared__ float s[32];
    int lane = threadIdx.x, i = blockIdx.x * 32 + lane;
    s[lane] = in[i];  // BUG (other side)
    out[i] = s[lane ^ 1];  // BUG
}

int main(void)
{
    const int n = 96;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    swap_pairs<<<3, 32>>>(d_in, d_out);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
