// A mask of radius 2 has 5 weights; the loop with <= reads a sixth.
#include "../../check.h"

__constant__ float c_mask[5];
__constant__ float c_other[64];

__global__ void convolve(const float *in, float *out, int n, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + side >= n) return;
    float sum = c_other[threadIdx.x];
    for (int k = 0; k <= side; k++)
        sum += in[i + k] * c_mask[k];  // BUG
    out[i] = sum;
}

int main(void)
{
    const int n = 150;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    float mask[5] = {0.125f, 0.25f, 0.25f, 0.25f, 0.125f}, other[64] = {};
    CHECK(cudaMemcpyToSymbol(c_mask, mask, sizeof mask));
    CHECK(cudaMemcpyToSymbol(c_other, other, sizeof other));
    convolve<<<3, 64>>>(d_in, d_out, n, 5);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
