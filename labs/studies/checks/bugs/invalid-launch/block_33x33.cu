// expect: invalid-launch
// 33 x 33 = 1089 threads are more than a block may have, and nobody looks at the error.
#include "../../check.h"

__global__ void fill(float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = 1.0f;
}

int main(void)
{
    const int w = 66, h = 66, n = w * h;
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(float)));
    fill<<<dim3(2, 2), dim3(33, 33)>>>(d_out, w, h);  // BUG
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_out));
    return failures != 0;
}
