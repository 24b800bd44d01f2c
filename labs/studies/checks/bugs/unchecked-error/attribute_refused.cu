// expect: unchecked-error
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
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(float)));
    cudaFuncSetAttribute(stage, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20);  // BUG
    stage<<<1, n, n * sizeof(float)>>>(d_in, d_out);
    CHECK(cudaDeviceSynchronize());
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
