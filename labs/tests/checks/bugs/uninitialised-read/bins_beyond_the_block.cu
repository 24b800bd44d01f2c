// expect: uninitialised-read
// 48 threads clear one bin each of a histogram of 64.
#include "../../check.h"

#define BINS 64

__global__ void histogram(const unsigned char *in, int *hist, int n)
{
    __shared__ int bins[BINS];
    int t = threadIdx.x;
    bins[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) {
        int b = in[i] % 48;
        atomicAdd(&bins[b], 1);
    }
    __syncthreads();
    for (int b = t; b < BINS; b += blockDim.x)
        hist[b] = bins[b];  // BUG
}

int main(void)
{
    const int n = 500;
    static unsigned char h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (unsigned char)(i % 17);
    unsigned char *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    int *d_hist = NULL;
    CHECK(cudaMalloc((void **)&d_hist, BINS * sizeof(int)));
    CHECK(cudaMemset(d_hist, 0, BINS * sizeof(int)));
    histogram<<<1, 48>>>(d_in, d_hist, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static int h_hist[BINS];
    CHECK(cudaMemcpy(h_hist, d_hist, sizeof h_hist, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < BINS; i++) sum += h_hist[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_hist));
    return failures != 0;
}
