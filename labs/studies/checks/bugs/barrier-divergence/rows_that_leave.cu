// expect: barrier-divergence
// Whole warps leave, block 32x4 on an image of 6 rows: the other warps of the block still wait.
#include "../../check.h"

__global__ void column_sum(const float *in, float *out, int w, int h)
{
    __shared__ float s[4][32];
    int x = threadIdx.x, y = blockIdx.x * 4 + threadIdx.y;
    if (y >= h) return;
    s[threadIdx.y][x] = in[y * w + x];
    __syncthreads();  // BUG
    if (threadIdx.y == 0) out[blockIdx.x * w + x] = s[0][x] + s[1][x];
}

int main(void)
{
    const int w = 32, h = 6, n = w * h, blocks = 2;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(blocks*w);
    column_sum<<<blocks, dim3(w, 4)>>>(d_in, d_out, w, h);
    CHECK_KERNEL();
    static float h_out[blocks*w];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
