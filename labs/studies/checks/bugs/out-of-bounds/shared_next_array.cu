// expect: out-of-bounds
// The index leaves the tile but not the block's shared memory: it lands in the array behind it.
#include "../../check.h"

#define T 64

__global__ void difference(const float *in, const float *weight, float *out)
{
    __shared__ float tile[T];
    __shared__ float s_weight[T];
    int t = threadIdx.x;
    tile[t] = in[blockIdx.x * T + t];
    s_weight[t] = weight[t];
    __syncthreads();
    float next = tile[t + 1];  // BUG
    out[blockIdx.x * T + t] = (next - tile[t]) * s_weight[t];
}

int main(void)
{
    const int n = 4 * T;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    static float h_weight[T];
    for (int i = 0; i < T; i++) h_weight[i] = (float)(1 + i % 3);
    float *d_weight = device_copy(h_weight);
    float *d_out = device_zeros<float>(n);
    difference<<<4, T>>>(d_in, d_weight, d_out);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_weight));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
