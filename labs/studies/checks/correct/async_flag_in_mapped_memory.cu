// expect: nothing
// A kernel publishes its result with a fence and a flag, for which the host looks.
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

__global__ void publish(int *result, volatile int *flag)
{
    *result = 42;
    __threadfence_system();
    *flag = 1;
}

int main(void)
{
    int *mapped = NULL, *d_view = NULL;
    CHECK(cudaHostAlloc((void **)&mapped, 2 * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&d_view, mapped, 0));
    mapped[0] = mapped[1] = 0;
    publish<<<1, 1>>>(d_view, d_view + 1);
    CHECK(cudaGetLastError());
    volatile int *flag = mapped + 1;
    while (*flag == 0) {
    }
    if (mapped[0] != 42) failures++;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(mapped));
    return failures != 0;
}
