// expect: misaligned
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
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(n);
    copy_tile<<<1, 32>>>(d_in, (float4 *)d_out);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
