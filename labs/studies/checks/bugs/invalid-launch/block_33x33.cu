// 33 x 33 = 1089 threads are more than a block may have, and nobody looks at the error.
#include "../../check.h"

__global__ void fill(float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = 1.0f;
}

int main(void)
{
    const int w = 66, h = 66, n = w * h;
    float *d_out = device_zeros<float>(n);
    fill<<<dim3(2, 2), dim3(33, 33)>>>(d_out, w, h);  // BUG
    print_sum(d_out, n);
    return finish();
}
