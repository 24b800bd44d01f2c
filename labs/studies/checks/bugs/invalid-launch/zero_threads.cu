// The block's height comes out of an integer division as 0.
#include "../../check.h"

__global__ void fill_rows(int *out, int w)
{
    out[threadIdx.y * w + threadIdx.x] = threadIdx.y;
}

int main(void)
{
    const int w = 64, h = 4, n = w * h;
    int *d_out = device_zeros<int>(n);
    dim3 block(w, h / 8);
    fill_rows<<<1, block>>>(d_out, w);  // BUG
    print_sum(d_out, n);
    return finish();
}
