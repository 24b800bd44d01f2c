// The first pass leaves the border of the temporary image alone; the second pass reads it.
#include "../../check.h"

__global__ void row_pass(const float *in, float *tmp, int w, int h)
{
    int x = threadIdx.x, y = blockIdx.x;
    if (x < 1 || x >= w - 1 || y >= h) return;
    tmp[y * w + x] = in[y * w + x - 1] + in[y * w + x + 1];
}

__global__ void column_pass(const float *tmp, float *out, int w, int h)
{
    int x = threadIdx.x, y = blockIdx.x;
    if (x >= w || y < 1 || y >= h - 1) return;
    float above = tmp[(y - 1) * w + x] + tmp[(y + 1) * w + x];  // BUG
    out[y * w + x] = above;
}

int main(void)
{
    const int w = 40, h = 15, n = w * h;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_tmp = device_array<float>(n);
    float *d_out = device_zeros<float>(n);
    row_pass<<<h, 64>>>(d_in, d_tmp, w, h);
    column_pass<<<h, 64>>>(d_tmp, d_out, w, h);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
