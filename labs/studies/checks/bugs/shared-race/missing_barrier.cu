// Nothing separates filling the tile from reading the neighbour's pixel.
#include "../../check.h"

#define T 96

__global__ void difference(const float *in, float *out)
{
    __shared__ float tile[T];
    int t = threadIdx.x, i = blockIdx.x * T + t;
    tile[t] = in[i];  // BUG (other side)
    float left = t > 0 ? tile[t - 1] : 0.0f;  // BUG
    out[i] = in[i] - left;
}

int main(void)
{
    const int n = 2 * T;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    difference<<<2, T>>>(d_in, d_out);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
