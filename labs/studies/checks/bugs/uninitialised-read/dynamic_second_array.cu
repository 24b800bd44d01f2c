// Two arrays in one dynamic buffer, and only the first of them is filled.
#include "../../check.h"

__global__ void weigh(const float *in, const float *weight, float *out)
{
    extern __shared__ float s_buffer[];
    float *s_in = s_buffer, *s_weight = s_buffer + blockDim.x;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s_in[t] = in[i] + weight[t];
    __syncthreads();
    float w = s_weight[t];  // BUG
    out[i] = s_in[t] * w;
}

int main(void)
{
    const int n = 3 * 70;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_weight = DEVICE_ARRAY(float, 70, i % 17);
    float *d_out = device_zeros<float>(n);
    weigh<<<3, 70, 2 * 70 * sizeof(float)>>>(d_in, d_weight, d_out);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
