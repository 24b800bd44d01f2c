// Every warp works on its own row of the tile; __syncwarp is all it needs.
#include "../check.h"

__global__ void reverse_rows(const int *in, int *out)
{
    __shared__ int s[4][32];
    int lane = threadIdx.x, warp = threadIdx.y, row = (blockIdx.x * 4 + warp) * 32;
    for (int pass = 0; pass < 3; pass++) {
        s[warp][lane] = in[row + lane] + pass;
        __syncwarp();
        out[row + lane] = s[warp][31 - lane];
        __syncwarp();
    }
}

int main(void)
{
    const int n = 8 * 32;
    int *d_in = DEVICE_ARRAY(int, n, i % 32), *d_out = device_zeros<int>(n);
    reverse_rows<<<2, dim3(32, 4)>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, n, 33 - i % 32);
    return finish();
}
