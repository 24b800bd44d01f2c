// expect: leak
// exit() ends the program before cudaFree().
#include <cstdio>
#include <cstdlib>
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
