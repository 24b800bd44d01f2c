// The index leaves the tile but not the block's shared memory: it lands in the array behind it.
#include "../../check.h"

#define T 64

__global__ void difference(const float *in, const float *weight, float *out)
{
    __shared__ float tile[T];
    __shared__ float s_weight[T];
    int t = threadIdx.x;
    tile[t] = in[blockIdx.x * T + t];
    s_weight[t] = weight[t];
    __syncthreads();
    float next = tile[t + 1];  // BUG
    out[blockIdx.x * T + t] = (next - tile[t]) * s_weight[t];
}

int main(void)
{
    const int n = 4 * T;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_weight = DEVICE_ARRAY(float, T, 1 + i % 3);
    float *d_out = device_zeros<float>(n);
    difference<<<4, T>>>(d_in, d_weight, d_out);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
