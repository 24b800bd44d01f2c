// expect: wrong-space
// The copy of the result says host to device.
#include "../../check.h"

__global__ void ramp(float *out)
{
    out[threadIdx.x] = threadIdx.x;
}

int main(void)
{
    const int n = 100;
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(float)));
    ramp<<<1, n>>>(d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyHostToDevice));  // BUG
    printf("%g\n", h_out[n - 1]);
    CHECK(cudaFree(d_out));
    return failures != 0;
}
