// The padding that avoids bank conflicts also shifts the rows of the tile off 16 bytes.
#include "../../check.h"

__global__ void copy_tile(const float *in, float4 *out)
{
    __shared__ __align__(16) float tile[8][33];
    int t = threadIdx.x;
    for (int y = 0; y < 8; y++) tile[y][t] = in[y * 32 + t];
    __syncthreads();
    int y = t / 8, x4 = t % 8;
    for (; y < 8; y += 4) {
        const float4 *row = (const float4 *)tile[y];
        out[y * 8 + x4] = row[x4];  // BUG
    }
}

int main(void)
{
    const int n = 8 * 32;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    copy_tile<<<1, 32>>>(d_in, (float4 *)d_out);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
