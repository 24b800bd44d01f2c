// expect: use-after-free
// An image structure keeps the pointer that its owner has already freed.
#include "../../check.h"

struct image {
    int w, h;
    float *pixel;
};

__global__ void border(image img, float value)
{
    int y = threadIdx.x;
    if (y < img.h) img.pixel[y * img.w] = value;  // BUG
}

int main(void)
{
    const int n = 30 * 20;
    float *d_pixel = NULL;
    CHECK(cudaMalloc((void **)&d_pixel, n * sizeof(float)));
    CHECK(cudaMemset(d_pixel, 0, n * sizeof(float)));
    image img = {30, 20, d_pixel};
    border<<<1, 32>>>(img, 1.0f);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_pixel));
    border<<<1, 32>>>(img, 2.0f);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return failures != 0;
}
