// expect: global-race
// Global memory as scratch space within one block, but without the barrier.
#include "../../check.h"

__global__ void two_steps(const float *in, float *tmp, float *out)
{
    int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t;
    tmp[i] = 2.0f * in[i];  // BUG (other side)
    float right = t + 1 < n ? tmp[i + 1] : 0.0f;  // BUG
    out[i] = right;
}

int main(void)
{
    const int n = 2 * 96;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_tmp = device_zeros<float>(n);
    float *d_out = device_zeros<float>(n);
    two_steps<<<2, 96>>>(d_in, d_tmp, d_out);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_tmp));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
