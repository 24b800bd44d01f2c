// The host asks until the event has happened; what was queued after it may still run.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    cudaEvent_t copied = new_event();
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaEventRecord(copied, stream));
    fill<<<4, 256, 0, stream>>>(d_data, n, 4);
    while (cudaEventQuery(copied) == cudaErrorNotReady) {
    }
    for (int i = 0; i < n; i++)
        if (pinned[i] != 3 + i) failures++;
    CHECK(cudaStreamSynchronize(stream));
    return finish();
}
