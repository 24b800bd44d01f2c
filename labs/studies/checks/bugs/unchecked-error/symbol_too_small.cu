// 49 weights do not fit a mask of 25: nothing is copied and the result of the call is dropped.
#include "../../check.h"

__constant__ float c_mask[25];

__global__ void weights(float *out)
{
    if (threadIdx.x < 25) out[threadIdx.x] = c_mask[threadIdx.x];
}

int main(void)
{
    static float mask[49];
    for (int i = 0; i < 49; i++) mask[i] = 1.0f;
    cudaMemcpyToSymbol(c_mask, mask, sizeof mask);  // BUG
    float *d_out = device_zeros<float>(25);
    weights<<<1, 32>>>(d_out);
    CHECK(cudaDeviceSynchronize());
    print_sum(d_out, 25);
    return finish();
}
