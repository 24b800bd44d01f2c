// expect: global-race
// A histogram in global memory, counted with ++.
#include "../../check.h"

__global__ void histogram(const unsigned char *in, int *hist, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        hist[in[i]]++;  // BUG
}

int main(void)
{
    const int n = 600;
    static unsigned char h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (unsigned char)(i % 10);
    unsigned char *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    int *d_hist = NULL;
    CHECK(cudaMalloc((void **)&d_hist, 256 * sizeof(int)));
    CHECK(cudaMemset(d_hist, 0, 256 * sizeof(int)));
    histogram<<<6, 100>>>(d_in, d_hist, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static int h_hist[256];
    CHECK(cudaMemcpy(h_hist, d_hist, sizeof h_hist, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < 256; i++) sum += h_hist[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_hist));
    return failures != 0;
}
