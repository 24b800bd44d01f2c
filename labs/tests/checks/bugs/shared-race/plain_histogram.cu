// expect: shared-race
// Bins in shared memory are incremented with ++: two threads of one value lose a count.
#include "../../check.h"

__global__ void histogram(const unsigned char *in, int *hist, int n)
{
    __shared__ int bins[32];
    int t = threadIdx.x;
    if (t < 32) bins[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x)
        bins[in[i] / 8]++;  // BUG
    __syncthreads();
    if (t < 32) hist[t] = bins[t];
}

int main(void)
{
    const int n = 1024;
    static unsigned char h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (unsigned char)((i * i) % 256);
    unsigned char *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    int *d_hist = NULL;
    CHECK(cudaMalloc((void **)&d_hist, 32 * sizeof(int)));
    CHECK(cudaMemset(d_hist, 0, 32 * sizeof(int)));
    histogram<<<1, 160>>>(d_in, d_hist, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static int h_hist[32];
    CHECK(cudaMemcpy(h_hist, d_hist, sizeof h_hist, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < 32; i++) sum += h_hist[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_hist));
    return failures != 0;
}
