// Page-locked host memory must be given back with cudaFreeHost.
#include "../../kernels.h"

int main(void)
{
    const int n = 77;
    int *pinned = NULL;
    CHECK(cudaMallocHost((void **)&pinned, n * sizeof(int)));  // BUG
    for (int i = 0; i < n; i++) pinned[i] = i;
    int *d_image = device_array<int>(n);
    CHECK(cudaMemcpy(d_image, pinned, n * sizeof(int), cudaMemcpyHostToDevice));
    twice<<<1, 96>>>(d_image, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(pinned, d_image, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d\n", pinned[n - 1]);
    return finish();
}
