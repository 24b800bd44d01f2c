// float4 for the whole quadruples, single floats for the remaining two.
#include "../check.h"

__global__ void triple(const float *in, float *out, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * k + 3 < n) {
        float4 v = ((const float4 *)in)[k];
        ((float4 *)out)[k] = make_float4(3 * v.x, 3 * v.y, 3 * v.z, 3 * v.w);
    } else {
        for (int i = 4 * k; i < n; i++) out[i] = 3 * in[i];
    }
}

int main(void)
{
    const int n = 102;
    float *d_in = DEVICE_ARRAY(float, n, i), *d_out = device_zeros<float>(n);
    triple<<<1, 32>>>(d_in, d_out, n);
    CHECK_KERNEL();
    EXPECT(d_out, n, 3 * i);
    return finish();
}
