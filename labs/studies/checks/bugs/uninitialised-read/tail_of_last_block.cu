// expect: uninitialised-read
// Threads outside the image store nothing in the tile, and their neighbours read it all the same.
#include "../../check.h"

__global__ void pair_sum(const float *in, float *out, int n)
{
    __shared__ float tile[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (i < n) tile[t] = in[i];
    __syncthreads();
    if (i < n) {
        float right = t < 127 ? tile[t + 1] : 0.0f;  // BUG
        out[i] = tile[t] + right;
    }
}

int main(void)
{
    const int n = 300;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(n);
    pair_sum<<<3, 128>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
