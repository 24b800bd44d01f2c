// Global memory as scratch space within one block, but without the barrier.
#include "../../check.h"

__global__ void two_steps(const float *in, float *tmp, float *out)
{
    int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t;
    tmp[i] = 2.0f * in[i];  // BUG (other side)
    float right = t + 1 < n ? tmp[i + 1] : 0.0f;  // BUG
    out[i] = right;
}

int main(void)
{
    const int n = 2 * 96;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_tmp = device_zeros<float>(n);
    float *d_out = device_zeros<float>(n);
    two_steps<<<2, 96>>>(d_in, d_tmp, d_out);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
