// expect: barrier-divergence
// A counting barrier behind && is only reached where the left side holds.
#include "../../check.h"

__global__ void any_bright(const float *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool bright = i < n && __syncthreads_or(in[i] > 15.0f);  // BUG
    if (i < n) out[i] = bright;
}

int main(void)
{
    const int n = 150;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(n);
    any_bright<<<2, 100>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
