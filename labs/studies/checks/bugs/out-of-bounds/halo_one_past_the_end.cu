// The last pixel has no right neighbour, but nothing guards the load of it.
#include "../../check.h"

__global__ void blur(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n) return;
    float left = in[i - 1], mid = in[i];
    float right = in[i + 1];  // BUG
    out[i] = 0.25f * left + 0.5f * mid + 0.25f * right;
}

int main(void)
{
    const int n = 200;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    blur<<<2, 128>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
