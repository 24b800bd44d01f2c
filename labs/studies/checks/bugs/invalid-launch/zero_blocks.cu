// The number of blocks is rounded down, and the image is smaller than one block.
#include "../../kernels.h"

int main(void)
{
    const int n = 100;
    float *d_image = DEVICE_ARRAY(float, n, i % 17);
    int block = 256, grid = n / block;
    twice<<<grid, block>>>(d_image, n);  // BUG
    print_sum(d_image, n);
    return finish();
}
