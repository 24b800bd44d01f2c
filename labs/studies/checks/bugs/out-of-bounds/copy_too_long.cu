// expect: out-of-bounds
// The copy back asks for more bytes than were allocated on the device.
#include "../../check.h"

__global__ void square(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

int main(void)
{
    const int n = 128;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(n);
    square<<<2, 64>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static float result[2 * n];
    CHECK(cudaMemcpy(result, d_out, sizeof result, cudaMemcpyDeviceToHost));  // BUG
    printf("%g\n", result[n - 1]);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
