// A block of 40: the second warp has 8 lanes and shuffles under the mask of those.
#include "../check.h"

__global__ void sum_of_eight(const int *in, int *out)
{
    int t = threadIdx.x;
    unsigned int mask = t < 32 ? 0xffffffffu : 0x000000ffu;
    int v = in[t];
    for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(mask, v, d, 8);
    if (t % 8 == 0) out[t / 8] = v;
}

int main(void)
{
    const int n = 40;
    int *d_in = DEVICE_ARRAY(int, n, i), *d_out = device_zeros<int>(5);
    sum_of_eight<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 5, 64 * i + 28);
    return finish();
}
