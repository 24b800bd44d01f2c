// expect: nothing
// The host asks until the event has happened; what was queued after it may still run.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    int *pinned = NULL, *d_data = NULL;
    CHECK(cudaMallocHost((void **)&pinned, n * sizeof(int)));
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaEvent_t copied;
    CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaEventRecord(copied, stream));
    fill<<<4, 256, 0, stream>>>(d_data, n, 4);
    while (cudaEventQuery(copied) == cudaErrorNotReady) {
    }
    for (int i = 0; i < n; i++)
        if (pinned[i] != 3 + i) failures++;
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventDestroy(copied));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(d_data));
    return failures != 0;
}
