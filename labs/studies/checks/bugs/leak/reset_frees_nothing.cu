// expect: leak
// The program resets the device and never frees its memory.
#include "../../check.h"

__global__ void set(int *values)
{
    values[threadIdx.x] = threadIdx.x;
}

int main(void)
{
    int *d_values = NULL;
    CHECK(cudaMalloc((void **)&d_values, 32 * sizeof(int)));  // BUG
    set<<<1, 32>>>(d_values);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaDeviceReset());
    return failures != 0;
}
