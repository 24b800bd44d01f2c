// expect: async-race
// The copy back is queued in another stream than the kernel, without an event.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *pinned = NULL, *d_data = NULL;
    CHECK(cudaMallocHost((void **)&pinned, n * sizeof(int)));
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    fill<<<4, 256, 0, first>>>(d_data, n, 3);  // BUG
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, second));  // BUG (other side)
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaStreamSynchronize(second));
    for (int i = 0; i < n; i++)
        if (pinned[i] != 3 + i) failures++;
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(d_data));
    return failures != 0;
}
