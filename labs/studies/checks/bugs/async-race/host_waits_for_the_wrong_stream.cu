// expect: async-race
// The host waits for one stream and reads what the other copies.
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
    fill<<<4, 256, 0, first>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, first));  // BUG (other side)
    CHECK(cudaStreamSynchronize(second));
    int wrong = 0;
    for (int i = 0; i < n; i++)
        if (pinned[i] != 3 + i) wrong++;  // BUG
    CHECK(cudaStreamSynchronize(first));
    failures += wrong;
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(d_data));
    return failures != 0;
}
