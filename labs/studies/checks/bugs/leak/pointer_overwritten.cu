// expect: leak
// The second allocation takes the pointer of the first one.
#include "../../check.h"

__global__ void fill(float *out, float v)
{
    out[threadIdx.x] = v;
}

int main(void)
{
    float *d_image = NULL;
    CHECK(cudaMalloc((void **)&d_image, 100 * sizeof(float)));  // BUG
    fill<<<1, 100>>>(d_image, 1.0f);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMalloc((void **)&d_image, 200 * sizeof(float)));
    fill<<<1, 200>>>(d_image, 2.0f);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static float h_image[200];
    CHECK(cudaMemcpy(h_image, d_image, sizeof h_image, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < 200; i++) sum += h_image[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_image));
    return failures != 0;
}
