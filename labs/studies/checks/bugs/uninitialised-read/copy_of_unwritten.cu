// Half of the source of a copy on the device was never written.
#include "../../check.h"

__global__ void scale(const float *in, float *out)
{
    out[threadIdx.x] = 2 * in[threadIdx.x];  // BUG
}

int main(void)
{
    float *d_first = device_array<float>(64), *d_second = device_array<float>(64);
    float *d_out = device_array<float>(64);
    CHECK(cudaMemset(d_first, 0, 32 * sizeof(float)));
    CHECK(cudaMemcpy(d_second, d_first, 64 * sizeof(float), cudaMemcpyDeviceToDevice));
    scale<<<1, 64>>>(d_second, d_out);
    CHECK_KERNEL();
    return finish();
}
