// expect: invalid-launch
// The block's height comes out of an integer division as 0.
#include "../../check.h"

__global__ void fill_rows(int *out, int w)
{
    out[threadIdx.y * w + threadIdx.x] = threadIdx.y;
}

int main(void)
{
    const int w = 64, h = 4, n = w * h;
    int *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
    dim3 block(w, h / 8);
    fill_rows<<<1, block>>>(d_out, w);  // BUG
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_out));
    return failures != 0;
}
