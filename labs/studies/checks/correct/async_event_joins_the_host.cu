// expect: nothing
// The host waits for an event of one stream, which has waited for the other.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    int *pinned = NULL, *d_data = NULL;
    CHECK(cudaMallocHost((void **)&pinned, n * sizeof(int)));
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    cudaEvent_t ready;
    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
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
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(d_data));
    return failures != 0;
}
