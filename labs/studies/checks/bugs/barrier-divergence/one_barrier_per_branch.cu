// Both branches have a barrier, but it is not the same one.
#include "../../check.h"

__global__ void both_halves(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = in[t];
        __syncthreads();  // BUG
    } else {
        s[t] = -in[t];
        __syncthreads();  // BUG (other side)
    }
    out[t] = s[127 - t];
}

int main(void)
{
    const int n = 128;
    int *d_in = DEVICE_ARRAY(int, n, i % 17), *d_out = device_zeros<int>(n);
    both_halves<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
