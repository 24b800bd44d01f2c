// expect: out-of-bounds
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
    float *d_first = NULL;
    CHECK(cudaMalloc((void **)&d_first, n * sizeof(float)));
    CHECK(cudaMemset(d_first, 0, n * sizeof(float)));
    float *d_second = NULL;
    CHECK(cudaMalloc((void **)&d_second, n * sizeof(float)));
    CHECK(cudaMemset(d_second, 0, n * sizeof(float)));
    fill_rows<<<1, w>>>(d_first, w, rows, 3.0f);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static float h_second[n];
    CHECK(cudaMemcpy(h_second, d_second, sizeof h_second, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_second[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_first));
    CHECK(cudaFree(d_second));
    return failures != 0;
}
