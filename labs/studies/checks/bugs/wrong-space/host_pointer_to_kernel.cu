// The kernel gets the host's array instead of its copy on the device.
#include "../../check.h"

__global__ void scale(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 3.0f * in[i];  // BUG
}

int main(void)
{
    const int n = 128;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in), *d_out = device_zeros<float>(n);
    scale<<<2, 64>>>(h_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
