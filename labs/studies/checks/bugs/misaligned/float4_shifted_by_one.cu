// Reading four floats at once from an address that is a multiple of 4 bytes only.
#include "../../check.h"

__global__ void sum4(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 5 > n) return;
    const float *mine = in + 4 * i + 1;
    float4 v = *(const float4 *)mine;  // BUG
    out[i] = v.x + v.y + v.z + v.w;
}

int main(void)
{
    const int n = 256;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    sum4<<<1, 64>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
