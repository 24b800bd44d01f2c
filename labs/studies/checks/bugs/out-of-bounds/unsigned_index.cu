// expect: out-of-bounds
// The left neighbour of the first pixel: an unsigned index of 0 less 1 is 4294967295.
#include "../../check.h"

__global__ void differences(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] - in[i - 1];  // BUG
}

int main(void)
{
    const int n = 100;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    differences<<<2, 64>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
