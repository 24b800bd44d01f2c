// expect: nothing
// The host asks until the stream is done, and does other work meanwhile.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    int *pinned = NULL, *d_data = NULL;
    CHECK(cudaMallocHost((void **)&pinned, n * sizeof(int)));
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    long asked = 0;
    cudaError_t state;
    while ((state = cudaStreamQuery(stream)) == cudaErrorNotReady) asked++;
    CHECK(state);
    for (int i = 0; i < n; i++)
        if (pinned[i] != 3 + i) failures++;
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(d_data));
    return failures != 0;
}
