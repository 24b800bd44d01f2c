// Rows of 33 floats: every second row starts at half a float2.
#include "../../check.h"

__global__ void pairs(const float *in, float2 *out, int w, int h)
{
    int k = threadIdx.x, y = blockIdx.x;
    if (2 * k + 1 >= w || y >= h) return;
    const float2 *row = (const float2 *)(in + y * w);
    out[y * (w / 2) + k] = row[k];  // BUG
}

int main(void)
{
    const int w = 33, h = 12, n = w * h;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    pairs<<<h, 32>>>(d_in, (float2 *)d_out, w, h);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
