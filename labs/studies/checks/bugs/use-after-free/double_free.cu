// expect: use-after-free
// Two names for one buffer, each of them freed.
#include "../../check.h"

__global__ void clear(float *image, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) image[i] = 0.0f;
}

int main(void)
{
    const int n = 333;
    float *d_image = NULL;
    CHECK(cudaMalloc((void **)&d_image, n * sizeof(float)));
    CHECK(cudaMemset(d_image, 0, n * sizeof(float)));
    float *d_result = d_image;  // in place
    clear<<<3, 111>>>(d_image, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static float h_result[n];
    CHECK(cudaMemcpy(h_result, d_result, sizeof h_result, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_result[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_image));
    CHECK(cudaFree(d_result));  // BUG
    return failures != 0;
}
