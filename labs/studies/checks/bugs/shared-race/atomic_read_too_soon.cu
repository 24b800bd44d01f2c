// The counter is incremented atomically but read plainly, without a barrier in between.
#include "../../check.h"

__global__ void count(const int *in, int *out)
{
    __shared__ int s_count;
    int t = threadIdx.x;
    if (t == 0) s_count = 0;
    __syncthreads();
    if (in[t] > 5) atomicAdd(&s_count, 1);  // BUG (other side)
    if (t == 0) out[0] = s_count;  // BUG
}

int main(void)
{
    const int n = 192;
    int *d_in = DEVICE_ARRAY(int, n, i % 17), *d_out = device_zeros<int>(1);
    count<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    print_sum(d_out, 1);
    return finish();
}
