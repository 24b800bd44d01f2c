// Kernels in two streams add to one sum with an atomic function.
#include "../check.h"

__global__ void add(int *sum, int value)
{
    atomicAdd(sum, value);
}

int main(void)
{
    int sum = 0;
    int *d_sum = device_zeros<int>(1);
    cudaStream_t first = new_stream(), second = new_stream();
    add<<<2, 32, 0, first>>>(d_sum, 1);
    add<<<2, 32, 0, second>>>(d_sum, 2);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    if (sum != 192) failures++;
    return finish();
}
