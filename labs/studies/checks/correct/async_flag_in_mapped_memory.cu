// A kernel publishes its result with a fence and a flag, for which the host looks.
#include "../check.h"

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
