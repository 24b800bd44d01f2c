// expect: async-race
// A copy from device to device in another stream reads what a kernel still writes.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *d_in = NULL, *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_in, n * sizeof(int)));
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    CHECK(cudaMemset(d_in, 0, n * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    fill<<<4, 256, 0, first>>>(d_in, n, 5);  // BUG
    CHECK(cudaMemcpyAsync(d_out, d_in, n * sizeof(int), cudaMemcpyDeviceToDevice, second));  // BUG (other side)
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
