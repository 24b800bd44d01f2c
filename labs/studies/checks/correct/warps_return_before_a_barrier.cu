// expect: note barrier-divergence
// Whole warps return, block 32x4 on an image of 6 rows: the barrier waits for the others alone.
#include "../check.h"

__global__ void column_sum(const float *in, float *out, int w, int h)
{
    __shared__ float s[4][32];
    int x = threadIdx.x, y = blockIdx.x * 4 + threadIdx.y;
    if (y >= h) return;
    s[threadIdx.y][x] = in[y * w + x];
    __syncthreads();
    if (threadIdx.y == 0) out[blockIdx.x * w + x] = s[0][x] + s[1][x];
}

int main(void)
{
    const int w = 32, h = 6, n = w * h, blocks = 2;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(blocks*w);
    column_sum<<<blocks, dim3(w, 4)>>>(d_in, d_out, w, h);
    CHECK_KERNEL();
    print_sum(d_out, blocks*w);
    return finish();
}
