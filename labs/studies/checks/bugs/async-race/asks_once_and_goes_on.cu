// cudaStreamQuery() says that the stream is busy, and the program reads all the same.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));  // BUG (other side)
    cudaError_t state = cudaStreamQuery(stream);
    if (state != cudaErrorNotReady) CHECK(state);
    int last = pinned[n - 1];  // BUG
    CHECK(cudaStreamSynchronize(stream));
    printf("%d\n", last);
    return finish();
}
