// expect: wrong-space
// The device's array is filled by a loop on the host.
#include "../../check.h"

__global__ void add_one(float *image, int n)
{
    if (threadIdx.x < n) image[threadIdx.x] += 1.0f;
}

int main(void)
{
    const int n = 50;
    float *d_image = NULL;
    CHECK(cudaMalloc((void **)&d_image, n * sizeof(float)));
    for (int i = 0; i < n; i++)
        d_image[i] = 0.5f * i;  // BUG
    add_one<<<1, 64>>>(d_image, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_image));
    return failures != 0;
}
