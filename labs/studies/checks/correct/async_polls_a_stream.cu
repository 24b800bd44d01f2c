// The host asks until the stream is done, and does other work meanwhile.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    long asked = 0;
    cudaError_t state;
    while ((state = cudaStreamQuery(stream)) == cudaErrorNotReady) asked++;
    CHECK(state);
    for (int i = 0; i < n; i++)
        if (pinned[i] != 3 + i) failures++;
    return finish();
}
