// expect: async-race
// memset() of the pinned source, before anything has waited for the copy from it.
#include "../../check.h"

#include <cstring>

int main(void)
{
    const int n = 1000;
    int *pinned = NULL, *d_data = NULL;
    CHECK(cudaMallocHost((void **)&pinned, n * sizeof(int)));
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < n; i++) pinned[i] = i;
    CHECK(cudaMemcpyAsync(d_data, pinned, n * sizeof(int), cudaMemcpyHostToDevice, stream));  // BUG
    memset(pinned, 0, n * sizeof(int));  // BUG (other side)
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(d_data));
    return failures != 0;
}
