// A rectangle is copied out of the middle of a larger image.
#include "../check.h"

__global__ void index(int *image, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) image[i] = i;
}

int main(void)
{
    const int w = 40, h = 30, cw = 7, ch = 5, x0 = 33, y0 = 25;
    int *d_image = device_array<int>(w*h);
    index<<<10, 128>>>(d_image, w * h);
    CHECK_KERNEL();
    int crop[cw * ch];
    CHECK(cudaMemcpy2D(crop, cw * sizeof(int), d_image + y0 * w + x0, w * sizeof(int),
                       cw * sizeof(int), ch, cudaMemcpyDeviceToHost));
    for (int i = 0; i < cw * ch; i++)
        if (crop[i] != (y0 + i / cw) * w + x0 + i % cw) failures++;
    return finish();
}
