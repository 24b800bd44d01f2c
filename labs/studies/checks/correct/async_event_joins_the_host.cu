// The host waits for an event of one stream, which has waited for the other.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t first = new_stream(), second = new_stream();
    cudaEvent_t ready = new_event();
    cudaEvent_t done;
    CHECK(cudaEventCreate(&done));
    fill<<<4, 256, 0, first>>>(d_data, n, 3);
    CHECK(cudaEventRecord(ready, first));
    CHECK(cudaStreamWaitEvent(second, ready, 0));
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, second));
    CHECK(cudaEventRecord(done, second));
    CHECK(cudaEventSynchronize(done));
    for (int i = 0; i < n; i++)
        if (pinned[i] != 3 + i) failures++;
    fill<<<4, 256, 0, first>>>(d_data, n, 4);
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaEventDestroy(done));
    return finish();
}
