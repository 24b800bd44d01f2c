// expect: misaligned
// The address is odd, and the last byte lies outside: the device complains of the first.
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

__device__ int counter;

__global__ void spoil(void)
{
    *(int *)((char *)&counter + 1) = 42;  // BUG
}

int main(void)
{
    spoil<<<1, 1>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return failures != 0;
}
