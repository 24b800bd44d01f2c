// expect: uninitialised-read
// cudaMemset() ends two bytes early, so only half of the last word is written.
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

__global__ void add_one(int *values)
{
    values[threadIdx.x] += 1;  // BUG
}

int main(void)
{
    int *d_values = NULL;
    CHECK(cudaMalloc((void **)&d_values, 64 * sizeof(int)));
    CHECK(cudaMemset(d_values, 0, 64 * sizeof(int) - 2));
    add_one<<<1, 64>>>(d_values);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_values));
    return failures != 0;
}
