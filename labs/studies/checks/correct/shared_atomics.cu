// expect: nothing
// Histogram in shared memory, atomics between two barriers.
#include "../check.h"

__global__ void histogram(const unsigned char *in, int *hist, int n)
{
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i] / 16], 1);
    __syncthreads();
    if (t < 16) atomicAdd(&hist[t], bins[t]);
}

int main(void)
{
    const int n = 1024;
    static unsigned char h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (unsigned char)(i % 256);
    unsigned char *d_in = device_copy(h_in);
    int *d_hist = device_zeros<int>(16);
    histogram<<<3, 100>>>(d_in, d_hist, n);
    CHECK_KERNEL();
    static int h_hist[16];
    CHECK(cudaMemcpy(h_hist, d_hist, sizeof h_hist, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++)
        if (h_hist[i] != 64) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_hist));
    return failures != 0;
}
