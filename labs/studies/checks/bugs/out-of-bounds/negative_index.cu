// The first row has no row above it.
#include "../../check.h"

__global__ void vertical_edge(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float above = in[(y - 1) * w + x];  // BUG
    out[y * w + x] = in[y * w + x] - above;
}

int main(void)
{
    const int w = 37, h = 19, n = w * h;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);
    vertical_edge<<<grid, block>>>(d_in, d_out, w, h);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
