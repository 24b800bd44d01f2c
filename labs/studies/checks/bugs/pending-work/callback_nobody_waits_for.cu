// expect: pending-work
// The program ends without waiting for its host function.
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

static void report(void *text)
{
    printf("%s\n", (const char *)text);
}

int main(void)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaLaunchHostFunc(stream, report, (void *)"all done"));  // BUG
    CHECK(cudaStreamDestroy(stream));
    return failures != 0;
}
