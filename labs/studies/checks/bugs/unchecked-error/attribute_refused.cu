// No multiprocessor has a megabyte of shared memory: the request is refused, unnoticed.
#include "../../check.h"

__global__ void stage(const float *in, float *out)
{
    extern __shared__ float s_data[];
    int t = threadIdx.x;
    s_data[t] = in[t];
    __syncthreads();
    out[t] = s_data[blockDim.x - 1 - t];
}

int main(void)
{
    const int n = 64;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    cudaFuncSetAttribute(stage, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20);  // BUG
    stage<<<1, n, n * sizeof(float)>>>(d_in, d_out);
    CHECK(cudaDeviceSynchronize());
    print_sum(d_out, n);
    return finish();
}
