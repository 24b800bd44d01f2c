// expect: wrong-space
// The upload says device to host.
#include "../../check.h"

__global__ void add_index(int *image)
{
    image[threadIdx.x] += threadIdx.x;
}

int main(void)
{
    const int n = 48;
    static int h_image[n];
    int *d_image = NULL;
    CHECK(cudaMalloc((void **)&d_image, n * sizeof(int)));
    CHECK(cudaMemset(d_image, 0, n * sizeof(int)));
    CHECK(cudaMemcpy(d_image, h_image, sizeof h_image, cudaMemcpyDeviceToHost));  // BUG
    add_index<<<1, n>>>(d_image);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h_image, d_image, sizeof h_image, cudaMemcpyDeviceToHost));
    printf("%d\n", h_image[n - 1]);
    CHECK(cudaFree(d_image));
    return failures != 0;
}
