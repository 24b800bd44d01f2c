// The host reads mapped memory that a kernel, which it has not waited for, writes.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *mapped = NULL, *d_view = NULL;
    CHECK(cudaHostAlloc((void **)&mapped, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&d_view, mapped, 0));
    for (int i = 0; i < n; i++) mapped[i] = 0;
    fill<<<4, 256>>>(d_view, n, 3);  // BUG (other side)
    CHECK(cudaGetLastError());
    int wrong = 0;
    for (int i = 0; i < n; i++)
        if (mapped[i] != 3 + i) wrong++;  // BUG
    CHECK(cudaDeviceSynchronize());
    failures += wrong;
    CHECK(cudaFreeHost(mapped));
    return failures != 0;
}
