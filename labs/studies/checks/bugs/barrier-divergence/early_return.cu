// expect: barrier-divergence
// Threads outside the image return before the barrier that the others wait at.
#include "../../check.h"

__global__ void smooth(const float *in, float *out, int n)
{
    __shared__ float tile[80];
    int t = threadIdx.x, i = blockIdx.x * 80 + t;
    if (i >= n) return;
    tile[t] = in[i];
    __syncthreads();  // BUG
    float left = t > 0 ? tile[t - 1] : tile[t];
    out[i] = 0.5f * (left + tile[t]);
}

int main(void)
{
    const int n = 210;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(n);
    smooth<<<3, 80>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
