// __syncwarp orders one warp; the value comes from another one.
#include "../../check.h"

__global__ void reverse(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = in[i];  // BUG (other side)
    __syncwarp();
    out[i] = s[127 - t];  // BUG
}

int main(void)
{
    const int n = 256;
    int *d_in = DEVICE_ARRAY(int, n, i % 17), *d_out = device_zeros<int>(n);
    reverse<<<2, 128>>>(d_in, d_out);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
