// Kernels in two streams add to one sum without an atomic function.
#include "../../check.h"

__global__ void add(int *sum, int value)
{
    *sum += value;
}

int main(void)
{
    int sum = 0;
    int *d_sum = device_zeros<int>(1);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    add<<<1, 1, 0, first>>>(d_sum, 1);   // BUG
    add<<<1, 1, 0, second>>>(d_sum, 2);  // BUG (other side)
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    if (sum != 3) failures++;
    return finish();
}
