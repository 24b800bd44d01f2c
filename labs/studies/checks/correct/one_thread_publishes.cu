// One thread stores, a barrier, all read the same word: a broadcast.
#include "../check.h"

__global__ void normalise(const int *in, int *out)
{
    __shared__ int s_base;
    int t = threadIdx.x, first = blockIdx.x * blockDim.x;
    for (int round = 0; round < 2; round++) {
        if (t == 0) s_base = in[first] * round;
        __syncthreads();
        out[first + t] = in[first + t] - s_base;
        __syncthreads();
    }
}

int main(void)
{
    const int n = 4 * 45;
    int *d_in = DEVICE_ARRAY(int, n, i), *d_out = device_zeros<int>(n);
    normalise<<<4, 45>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, n, i % 45);
    return finish();
}
