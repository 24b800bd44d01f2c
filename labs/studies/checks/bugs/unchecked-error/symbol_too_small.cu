// expect: unchecked-error
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
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, 25 * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, 25 * sizeof(float)));
    weights<<<1, 32>>>(d_out);
    CHECK(cudaDeviceSynchronize());
    static float h_out[25];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < 25; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_out));
    return failures != 0;
}
