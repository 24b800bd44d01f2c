// The host reads mapped memory after it has waited for the kernel.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    int *mapped = NULL, *d_view = NULL;
    CHECK(cudaHostAlloc((void **)&mapped, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&d_view, mapped, 0));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < n; i++) mapped[i] = 0;
        fill<<<4, 256>>>(d_view, n, round);
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < n; i++)
            if (mapped[i] != round + i) failures++;
    }
    CHECK(cudaFreeHost(mapped));
    return failures != 0;
}
