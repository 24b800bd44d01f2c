// expect: pending-work
// The last operation of the program is a fill that nothing waits for.
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

__device__ int d_flags[64];

int main(void)
{
    void *at = NULL;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaGetSymbolAddress(&at, d_flags));
    CHECK(cudaMemsetAsync(at, 1, sizeof d_flags, stream));  // BUG
    CHECK(cudaStreamDestroy(stream));
    return failures != 0;
}
