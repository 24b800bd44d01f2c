// A halo read with an unsigned index that wraps around: the addresses of shared memory have 32 bits.
#include "../check.h"

#define HALO 4

__global__ void left_sums(const int *in, int *out)
{
    __shared__ int tile[HALO + 64];
    int *inner = tile + HALO, sum = 0;
    unsigned t = threadIdx.x;
    inner[t] = in[t];
    if (t < HALO) inner[t - HALO] = 0;
    __syncthreads();
    for (unsigned k = 0; k <= HALO; k++) sum += inner[t - k];
    out[t] = sum;
}

int main(void)
{
    int *d_in = DEVICE_ARRAY(int, 64, 1), *d_out = device_zeros<int>(64);
    left_sums<<<1, 64>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 64, i < HALO ? i + 1 : HALO + 1);
    return finish();
}
