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
    unsigned char *d_in = device_copy(h_in);
    int *d_hist = device_zeros<int>(256);
    histogram<<<6, 100>>>(d_in, d_hist, n);
    CHECK_KERNEL();
    static int h_hist[256];
    CHECK(cudaMemcpy(h_hist, d_hist, sizeof h_hist, cudaMemcpyDeviceToHost));
    print_sum(h_hist);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_hist));
    return failures != 0;
}
