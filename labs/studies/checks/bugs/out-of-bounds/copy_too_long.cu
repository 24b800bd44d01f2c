// The copy back asks for more bytes than were allocated on the device.
#include "../../kernels.h"

int main(void)
{
    const int n = 128;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    add_one<<<2, 64>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static float result[2 * n];
    CHECK(cudaMemcpy(result, d_out, sizeof result, cudaMemcpyDeviceToHost));  // BUG
    printf("%g\n", result[n - 1]);
    return finish();
}
