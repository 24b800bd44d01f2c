// expect: leak
// The program resets the device and never frees its memory.
#include <cstdio>
#include <cuda_runtime.h>

static int failures;

static void check(cudaError_t e, int line)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    failures++;
}
#define CHECK(call) check(call, __LINE__)

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
