// 102 floats are 25 float4 and a half: the load of the 26th ends 8 bytes past the array.
#include "../../check.h"

__global__ void scale4(const float4 *in, float4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n) return;
    float4 v = in[i];  // BUG
    out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}

int main(void)
{
    const int n = 102, padded = 104;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(padded);
    scale4<<<1, 32>>>((const float4 *)d_in, (float4 *)d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
