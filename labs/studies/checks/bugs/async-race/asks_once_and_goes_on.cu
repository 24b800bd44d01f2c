// expect: async-race
// cudaStreamQuery() says that the stream is busy, and the program reads all the same.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *pinned = NULL, *d_data = NULL;
    CHECK(cudaMallocHost((void **)&pinned, n * sizeof(int)));
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));  // BUG (other side)
    cudaError_t state = cudaStreamQuery(stream);
    if (state != cudaErrorNotReady) CHECK(state);
    int last = pinned[n - 1];  // BUG
    CHECK(cudaStreamSynchronize(stream));
    printf("%d\n", last);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(d_data));
    return failures != 0;
}
