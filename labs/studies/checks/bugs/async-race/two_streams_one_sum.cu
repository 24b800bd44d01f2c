// expect: async-race
// Kernels in two streams add to one sum without an atomic function.
#include "../../check.h"

__global__ void add(int *sum, int value)
{
    *sum += value;
}

int main(void)
{
    int *d_sum = NULL, sum = 0;
    CHECK(cudaMalloc((void **)&d_sum, sizeof(int)));
    CHECK(cudaMemset(d_sum, 0, sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    add<<<1, 1, 0, first>>>(d_sum, 1);   // BUG
    add<<<1, 1, 0, second>>>(d_sum, 2);  // BUG (other side)
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    if (sum != 3) failures++;
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(d_sum));
    return failures != 0;
}
