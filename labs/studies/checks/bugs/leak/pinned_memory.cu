// expect: leak
// Page-locked host memory must be given back with cudaFreeHost.
#include "../../check.h"

__global__ void negate(int *image, int n)
{
    if (threadIdx.x < n) image[threadIdx.x] = -image[threadIdx.x];
}

int main(void)
{
    const int n = 77;
    int *pinned = NULL;
    CHECK(cudaMallocHost((void **)&pinned, n * sizeof(int)));  // BUG
    for (int i = 0; i < n; i++) pinned[i] = i;
    int *d_image = NULL;
    CHECK(cudaMalloc((void **)&d_image, n * sizeof(int)));
    CHECK(cudaMemcpy(d_image, pinned, n * sizeof(int), cudaMemcpyHostToDevice));
    negate<<<1, 96>>>(d_image, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(pinned, d_image, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d\n", pinned[n - 1]);
    CHECK(cudaFree(d_image));
    return failures != 0;
}
