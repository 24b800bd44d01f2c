// The apron on the left is read at index -1, in front of the tile.
#include "../../check.h"

__global__ void gradient(const int *in, int *out, int n)
{
    __shared__ int s_row[96];
    int t = threadIdx.x, i = blockIdx.x * 96 + t;
    s_row[t] = i < n ? in[i] : 0;
    __syncthreads();
    int before = s_row[t - 1];  // BUG
    if (i < n) out[i] = s_row[t] - before;
}

int main(void)
{
    const int n = 250;
    int *d_in = DEVICE_ARRAY(int, n, i % 17), *d_out = device_zeros<int>(n);
    gradient<<<3, 96>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
