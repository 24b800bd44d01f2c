// expect: pending-work
// main() returns, and nothing has waited for the kernel.
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

__global__ void hello(void)
{
    printf("hello from thread %d\n", threadIdx.x);
}

int main(void)
{
    hello<<<1, 4>>>();  // BUG
    CHECK(cudaGetLastError());
    return failures != 0;
}
