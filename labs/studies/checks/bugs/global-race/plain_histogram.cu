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
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, i % 10);
    int *d_hist = device_zeros<int>(256);
    histogram<<<6, 100>>>(d_in, d_hist, n);
    CHECK_KERNEL();
    print_sum(d_hist, 256);
    return finish();
}
