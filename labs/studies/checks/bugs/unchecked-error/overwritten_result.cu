// expect: unchecked-error
// The first call's error is kept in a variable and overwritten before anyone looks at it.
#include "../../check.h"

__global__ void fill(int *out)
{
    out[threadIdx.x] = 1;
}

int main(void)
{
    int *d_out = NULL, *d_extra = NULL;
    cudaError_t err = cudaMalloc((void **)&d_extra, (size_t)1 << 52);  // BUG
    err = cudaMalloc((void **)&d_out, 40 * sizeof(int));
    if (err != cudaSuccess) return 1;
    fill<<<1, 40>>>(d_out);
    CHECK(cudaDeviceSynchronize());
    static int h_out[40];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < 40; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_extra));
    return failures != 0;
}
