// expect: uninitialised-read
// Two arrays in one dynamic buffer, and only the first of them is filled.
#include "../../check.h"

__global__ void weigh(const float *in, const float *weight, float *out)
{
    extern __shared__ float s_buffer[];
    float *s_in = s_buffer, *s_weight = s_buffer + blockDim.x;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s_in[t] = in[i] + weight[t];
    __syncthreads();
    float w = s_weight[t];  // BUG
    out[i] = s_in[t] * w;
}

int main(void)
{
    const int n = 3 * 70;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    static float h_weight[70];
    for (int i = 0; i < 70; i++) h_weight[i] = (float)(i % 17);
    float *d_weight = device_copy(h_weight);
    float *d_out = device_zeros<float>(n);
    weigh<<<3, 70, 2 * 70 * sizeof(float)>>>(d_in, d_weight, d_out);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_weight));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
