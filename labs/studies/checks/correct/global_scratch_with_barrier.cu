// A block exchanges values through its part of a global array, with a barrier.
#include "../check.h"

__global__ void reverse_twice(const int *in, int *tmp, int *out)
{
    int t = threadIdx.x, n = blockDim.x, base = blockIdx.x * n;
    tmp[base + t] = in[base + t] + 1;
    __syncthreads();
    int v = tmp[base + n - 1 - t];
    __syncthreads();
    tmp[base + t] = v;
    out[base + t] = tmp[base + t];
}

int main(void)
{
    const int n = 4 * 60;
    int *d_in = DEVICE_ARRAY(int, n, i % 60), *d_tmp = device_array<int>(n);
    int *d_out = device_zeros<int>(n);
    reverse_twice<<<4, 60>>>(d_in, d_tmp, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, n, 60 - i % 60);
    return finish();
}
