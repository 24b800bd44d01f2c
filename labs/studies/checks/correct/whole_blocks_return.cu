// Blocks without work leave before the barrier, with all their threads.
#include "../check.h"

__global__ void reverse_marked(const int *in, const int *marked, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (!marked[blockIdx.x]) return;
    s[t] = in[i];
    __syncthreads();
    out[i] = s[63 - t];
}

int main(void)
{
    const int n = 6 * 64;
    int *d_in = DEVICE_ARRAY(int, n, i % 64), *d_marked = DEVICE_ARRAY(int, 6, i % 3 == 0);
    int *d_out = device_zeros<int>(n);
    reverse_marked<<<6, 64>>>(d_in, d_marked, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, n, (i / 64 % 3 == 0 ? 63 - i % 64 : 0));
    return finish();
}
