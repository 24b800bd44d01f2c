// The condition is the same for all threads of a block, though not for all blocks.
#include "../check.h"

__global__ void maybe_reverse(const int *in, const int *mode, int *out)
{
    __shared__ int s[96];
    int t = threadIdx.x, i = blockIdx.x * 96 + t;
    s[t] = in[i];
    if (mode[blockIdx.x]) {
        __syncthreads();
        out[i] = s[95 - t];
    } else {
        out[i] = s[t];
    }
}

int main(void)
{
    const int n = 4 * 96;
    int *d_in = DEVICE_ARRAY(int, n, i % 96), *d_mode = DEVICE_ARRAY(int, 4, i % 2);
    int *d_out = device_zeros<int>(n);
    maybe_reverse<<<4, 96>>>(d_in, d_mode, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, n, (i / 96 % 2 ? 95 - i % 96 : i % 96));
    return finish();
}
