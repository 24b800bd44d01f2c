// The third launch parameter is missing: the dynamic array has no bytes at all.
#include "../../check.h"

__global__ void reverse_block(const int *in, int *out)
{
    extern __shared__ int s_data[];
    int t = threadIdx.x, n = blockDim.x;
    s_data[t] = in[blockIdx.x * n + t];  // BUG
    __syncthreads();
    out[blockIdx.x * n + t] = s_data[n - 1 - t];
}

int main(void)
{
    const int n = 4 * 50;
    int *d_in = DEVICE_ARRAY(int, n, i % 17), *d_out = device_zeros<int>(n);
    reverse_block<<<4, 50>>>(d_in, d_out);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
