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
    unsigned char *d_in = device_copy(h_in);
    int *d_hist = device_zeros<int>(BINS);
    histogram<<<1, 48>>>(d_in, d_hist, n);
    CHECK_KERNEL();
    static int h_hist[BINS];
    CHECK(cudaMemcpy(h_hist, d_hist, sizeof h_hist, cudaMemcpyDeviceToHost));
    print_sum(h_hist);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_hist));
    return failures != 0;
}
