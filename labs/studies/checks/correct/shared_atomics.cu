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
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, i % 256);
    int *d_hist = device_zeros<int>(16);
    histogram<<<3, 100>>>(d_in, d_hist, n);
    CHECK_KERNEL();
    EXPECT(d_hist, 16, 64);
    return finish();
}
