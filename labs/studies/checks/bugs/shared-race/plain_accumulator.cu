// All threads add to one shared variable without an atomic.
#include "../../check.h"

__global__ void total(const int *in, int *out)
{
    __shared__ int s_sum;
    if (threadIdx.x == 0) s_sum = 0;
    __syncthreads();
    s_sum += in[blockIdx.x * blockDim.x + threadIdx.x];  // BUG
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = s_sum;
}

int main(void)
{
    const int n = 4 * 75;
    int *d_in = DEVICE_ARRAY(int, n, 1 + i), *d_out = device_zeros<int>(4);
    total<<<4, 75>>>(d_in, d_out);
    CHECK_KERNEL();
    print_sum(d_out, 4);
    return finish();
}
