// Two byte pixels are stored at once, at odd addresses in the odd rows.
#include "../../check.h"

__global__ void fill_pairs(unsigned char *image, int w, int h)
{
    int k = threadIdx.x, y = blockIdx.x;
    if (2 * k + 1 >= w) return;
    unsigned char *p = image + y * w + 2 * k;
    *(unsigned short *)p = (unsigned short)(257 * k);  // BUG
}

int main(void)
{
    const int w = 41, h = 9, n = w * h;
    unsigned char *d_image = device_zeros<unsigned char>(n);
    fill_pairs<<<h, 32>>>(d_image, w, h);
    CHECK_KERNEL();
    print_sum(d_image, n);
    return finish();
}
