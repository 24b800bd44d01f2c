// expect: nothing
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
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 32;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(n);
    reverse_rows<<<2, dim3(32, 4)>>>(d_in, d_out);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != 33 - i % 32) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
