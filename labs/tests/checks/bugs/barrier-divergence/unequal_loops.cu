// expect: barrier-divergence
// The strided loop over 100 elements runs twice for some threads and once for the others.
#include "../../check.h"

__global__ void rotate(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    for (int i = t; i < 100; i += 64) {
        s[t] = in[i];
        __syncthreads();  // BUG
        out[i] = s[t];
    }
}

int main(void)
{
    const int n = 100;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 17;
    int *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    int *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
    rotate<<<1, 64>>>(d_in, d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
