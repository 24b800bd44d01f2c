// The blocks store their apron as well, each with its own block's value.
#include "../../check.h"

#define T 32

__global__ void label(int *out, int n)
{
    int i = blockIdx.x * T + threadIdx.x - 1;
    if (i >= 0 && i < n)
        out[i] = blockIdx.x + 1;  // BUG
}

int main(void)
{
    const int n = 5 * T;
    int *d_out = device_zeros<int>(n);
    label<<<5, T + 2>>>(d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
