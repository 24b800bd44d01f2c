// expect: pending-work
// The pinned buffer is freed while the copy from it may still run.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *pinned = NULL, *d_data = NULL;
    CHECK(cudaMallocHost((void **)&pinned, n * sizeof(int)));
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < n; i++) pinned[i] = i;
    CHECK(cudaMemcpyAsync(d_data, pinned, n * sizeof(int), cudaMemcpyHostToDevice, stream));  // BUG (other side)
    CHECK(cudaFreeHost(pinned));  // BUG
    twice<<<4, 256, 0, stream>>>(d_data, n);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(d_data));
    return failures != 0;
}
