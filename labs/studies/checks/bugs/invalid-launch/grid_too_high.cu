// A grid may have 65535 blocks in y; this image has 70000 rows.
#include "../../check.h"

__global__ void row_start(unsigned char *out, int h)
{
    int y = blockIdx.y;
    if (y < h && threadIdx.x == 0) out[y] = 1;
}

int main(void)
{
    const int h = 70000;
    unsigned char *d_out = device_zeros<unsigned char>(h);
    row_start<<<dim3(1, h), 32>>>(d_out, h);  // BUG
    print_sum(d_out, h);
    return finish();
}
