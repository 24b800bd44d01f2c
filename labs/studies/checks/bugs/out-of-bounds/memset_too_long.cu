// An array of bytes is cleared as if it held integers.
#include "../../check.h"

__global__ void mark(unsigned char *flags, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 3 == 0) flags[i] = 1;
}

int main(void)
{
    const int n = 700;
    unsigned char *d_flags = NULL;
    CHECK(cudaMalloc((void **)&d_flags, n));
    CHECK(cudaMemset(d_flags, 0, n * sizeof(int)));  // BUG
    CHECK(cudaMemset(d_flags, 0, n));
    mark<<<7, 100>>>(d_flags, n);
    CHECK_KERNEL();
    print_sum(d_flags, n);
    CHECK(cudaFree(d_flags));
    return failures != 0;
}
