// expect: unchecked-error
// Device 99 does not exist; the program goes on with device 0 by luck.
#include "../../check.h"

__global__ void fill(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

int main(void)
{
    cudaSetDevice(99);  // BUG
    int *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, 50 * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, 50 * sizeof(int)));
    fill<<<1, 50>>>(d_out);
    CHECK(cudaDeviceSynchronize());
    static int h_out[50];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < 50; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_out));
    return failures != 0;
}
