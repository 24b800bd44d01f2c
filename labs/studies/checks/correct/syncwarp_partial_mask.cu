// Half a warp exchanges values under a mask that names exactly that half.
#include "../check.h"

__global__ void swap_quads(const int *in, int *out)
{
    __shared__ int s[32];
    int lane = threadIdx.x;
    if (lane < 16) {
        s[lane] = in[lane];
        __syncwarp(0x0000ffffu);
        out[lane] = s[lane ^ 3];
    } else {
        out[lane] = -in[lane];
    }
}

int main(void)
{
    const int n = 32;
    int *d_in = DEVICE_ARRAY(int, n, i), *d_out = device_zeros<int>(n);
    swap_quads<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, n, (i < 16 ? (i ^ 3) : -i));
    return finish();
}
