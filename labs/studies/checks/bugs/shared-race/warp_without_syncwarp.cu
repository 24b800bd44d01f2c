// expect: shared-race
// 32 threads are one warp, but since Volta that alone orders nothing between its lanes.
#include "../../check.h"

__global__ void swap_pairs(const float *in, float *out)
{
    __shared__ float s[32];
    int lane = threadIdx.x, i = blockIdx.x * 32 + lane;
    s[lane] = in[i];  // BUG (other side)
    out[i] = s[lane ^ 1];  // BUG
}

int main(void)
{
    const int n = 96;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(n);
    swap_pairs<<<3, 32>>>(d_in, d_out);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
