// expect: leak
// exit() ends the program before cudaFree().
#include "../../check.h"

#include <cstdlib>

__global__ void set(int *values)
{
    values[threadIdx.x] = threadIdx.x;
}

int main(int argc, char **)
{
    int *d_values = NULL;
    CHECK(cudaMalloc((void **)&d_values, 32 * sizeof(int)));  // BUG
    set<<<1, 32>>>(d_values);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    if (argc < 5) exit(failures != 0);
    CHECK(cudaFree(d_values));
    return failures != 0;
}
