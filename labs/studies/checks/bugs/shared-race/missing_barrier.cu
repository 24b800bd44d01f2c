// expect: shared-race
// Nothing separates filling the tile from reading the neighbour's pixel.
#include "../../check.h"

#define T 96

__global__ void difference(const float *in, float *out)
{
    __shared__ float tile[T];
    int t = threadIdx.x, i = blockIdx.x * T + t;
    tile[t] = in[i];  // BUG (other side)
    float left = t > 0 ? tile[t - 1] : 0.0f;  // BUG
    out[i] = in[i] - left;
}

int main(void)
{
    const int n = 2 * T;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(n);
    difference<<<2, T>>>(d_in, d_out);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
