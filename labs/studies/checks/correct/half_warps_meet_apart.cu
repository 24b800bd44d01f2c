// Each half of the warp exchanges values within itself, and names only itself in __syncwarp().
#include "../check.h"

__global__ void exchange(int *out)
{
    __shared__ int s_value[32];
    int lane = threadIdx.x;
    unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    s_value[lane] = lane;
    __syncwarp(half);
    int other = s_value[lane ^ 15];
    __syncwarp(half);
    s_value[lane] = other;
    __syncwarp(half);
    out[lane] = s_value[lane ^ 8];
}

int main(void)
{
    int *d_out = NULL, h_out[32];
    CHECK(cudaMalloc((void **)&d_out, sizeof h_out));
    exchange<<<1, 32>>>(d_out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        if (h_out[i] != (i ^ 8 ^ 15)) failures++;
    CHECK(cudaFree(d_out));
    return failures != 0;
}
