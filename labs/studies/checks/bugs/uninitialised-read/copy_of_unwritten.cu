// expect: uninitialised-read
// Half of the source of a copy on the device was never written.
#include "../../check.h"

__global__ void scale(const float *in, float *out)
{
    out[threadIdx.x] = 2 * in[threadIdx.x];  // BUG
}

int main(void)
{
    float *d_first = NULL, *d_second = NULL, *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_first, 64 * sizeof(float)));
    CHECK(cudaMalloc((void **)&d_second, 64 * sizeof(float)));
    CHECK(cudaMalloc((void **)&d_out, 64 * sizeof(float)));
    CHECK(cudaMemset(d_first, 0, 32 * sizeof(float)));
    CHECK(cudaMemcpy(d_second, d_first, 64 * sizeof(float), cudaMemcpyDeviceToDevice));
    scale<<<1, 64>>>(d_second, d_out);
    CHECK_KERNEL();
    CHECK(cudaFree(d_first));
    CHECK(cudaFree(d_second));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
