// The host changes mapped memory that a kernel, which it has not waited for, reads.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *mapped = NULL, *d_view = NULL;
    CHECK(cudaHostAlloc((void **)&mapped, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&d_view, mapped, 0));
    int *d_out = device_array<int>(n);
    for (int i = 0; i < n; i++) mapped[i] = i;
    add_one<<<4, 256>>>(d_view, d_out, n);  // BUG (other side)
    CHECK(cudaGetLastError());
    for (int i = 0; i < n; i++) mapped[i] = -i;  // BUG
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(mapped));
    return finish();
}
