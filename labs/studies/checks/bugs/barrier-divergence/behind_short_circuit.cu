// A counting barrier behind && is only reached where the left side holds.
#include "../../check.h"

__global__ void any_bright(const float *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool bright = i < n && __syncthreads_or(in[i] > 15.0f);  // BUG
    if (i < n) out[i] = bright;
}

int main(void)
{
    const int n = 150;
    float *d_in = DEVICE_ARRAY(float, n, i % 17);
    int *d_out = device_zeros<int>(n);
    any_bright<<<2, 100>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
