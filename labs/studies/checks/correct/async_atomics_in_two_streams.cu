// expect: nothing
// Kernels in two streams add to one sum with an atomic function.
#include "../check.h"

__global__ void add(int *sum, int value)
{
    atomicAdd(sum, value);
}

int main(void)
{
    int *d_sum = NULL, sum = 0;
    CHECK(cudaMalloc((void **)&d_sum, sizeof(int)));
    CHECK(cudaMemset(d_sum, 0, sizeof(int)));
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    add<<<2, 32, 0, first>>>(d_sum, 1);
    add<<<2, 32, 0, second>>>(d_sum, 2);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    if (sum != 192) failures++;
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(d_sum));
    return failures != 0;
}
