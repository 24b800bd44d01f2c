// Writes that leave one allocation by whole rows and fall into the next one.
#include "../../check.h"

__global__ void fill_rows(float *image, int w, int rows, float value)
{
    int x = threadIdx.x;
    for (int y = 0; y <= rows; y++)
        image[y * w + x] = value;  // BUG
}

int main(void)
{
    const int w = 64, rows = 8, n = w * rows;
    float *d_first = device_zeros<float>(n), *d_second = device_zeros<float>(n);
    fill_rows<<<1, w>>>(d_first, w, rows, 3.0f);
    CHECK_KERNEL();
    print_sum(d_second, n);
    return finish();
}
