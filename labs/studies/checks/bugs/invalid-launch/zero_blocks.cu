// expect: invalid-launch
// The number of blocks is rounded down, and the image is smaller than one block.
#include "../../check.h"

__global__ void twice(float *image, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) image[i] *= 2.0f;
}

int main(void)
{
    const int n = 100;
    static float h_image[n];
    for (int i = 0; i < n; i++) h_image[i] = (float)(i % 17);
    float *d_image = NULL;
    CHECK(cudaMalloc((void **)&d_image, sizeof h_image));
    CHECK(cudaMemcpy(d_image, h_image, sizeof h_image, cudaMemcpyHostToDevice));
    int block = 256, grid = n / block;
    twice<<<grid, block>>>(d_image, n);  // BUG
    CHECK(cudaMemcpy(h_image, d_image, sizeof h_image, cudaMemcpyDeviceToHost));
    printf("%g\n", h_image[1]);
    CHECK(cudaFree(d_image));
    return failures != 0;
}
