// Pixel 255 falls into bin 64 of 64: the atomic leaves the shared histogram.
#include "../../check.h"

#define BINS 64

__global__ void histogram(const unsigned char *in, unsigned int *hist, int n)
{
    __shared__ unsigned int bins[BINS];
    __shared__ unsigned int total;
    if (threadIdx.x < BINS) bins[threadIdx.x] = 0;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(&bins[(in[i] + 1) / 4], 1u);  // BUG
        atomicAdd(&total, 1u);
    }
    __syncthreads();
    if (threadIdx.x < BINS) hist[threadIdx.x] = bins[threadIdx.x] + total;
}

int main(void)
{
    const int n = 512;
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, i % 256);
    unsigned int *d_hist = device_zeros<unsigned int>(BINS);
    histogram<<<1, 128>>>(d_in, d_hist, n);
    CHECK_KERNEL();
    print_sum(d_hist, BINS);
    return finish();
}
