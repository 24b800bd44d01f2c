// The mapped buffer is freed while a kernel may still write it.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *mapped = NULL, *d_view = NULL;
    CHECK(cudaHostAlloc((void **)&mapped, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&d_view, mapped, 0));
    fill<<<4, 256>>>(d_view, n, 3);  // BUG (other side)
    CHECK(cudaGetLastError());
    CHECK(cudaFreeHost(mapped));  // BUG
    CHECK(cudaDeviceSynchronize());
    return failures != 0;
}
