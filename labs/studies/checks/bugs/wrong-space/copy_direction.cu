// The copy of the result says host to device.
#include "../../kernels.h"

int main(void)
{
    const int n = 100;
    float *d_out = device_zeros<float>(n);
    ramp<<<1, n>>>(d_out);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyHostToDevice));  // BUG
    printf("%g\n", h_out[n - 1]);
    return finish();
}
