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
    unsigned char *d_in = device_copy(h_in);
    int *d_hist = device_zeros<int>(32);
    histogram<<<1, 160>>>(d_in, d_hist, n);
    CHECK_KERNEL();
    static int h_hist[32];
    CHECK(cudaMemcpy(h_hist, d_hist, sizeof h_hist, cudaMemcpyDeviceToHost));
    print_sum(h_hist);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_hist));
    return failures != 0;
}
