// expect: nothing
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
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(n);
    swap_quads<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != (i < 16 ? (i ^ 3) : -i)) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
