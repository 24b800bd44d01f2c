// Two threads scatter different pixels to one place.
#include "../../check.h"

__global__ void scatter(const float *in, const int *to, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[to[i]] = in[i];  // BUG
}

int main(void)
{
    const int n = 130;
    float *d_in = DEVICE_ARRAY(float, n, i);
    int *d_to = DEVICE_ARRAY(int, n, i == 101 ? 17 : i);
    float *d_out = device_zeros<float>(n);
    scatter<<<2, 65>>>(d_in, d_to, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
