// Two pinned buffers take turns, but the host waits for the older copy of the other one.
#include "../../check.h"

int main(void)
{
    const int n = 1000;
    int *pinned[2] = {NULL, NULL}, *d_data = NULL;
    cudaEvent_t copied[2];
    cudaStream_t stream[2];
    CHECK(cudaMalloc((void **)&d_data, 2 * n * sizeof(int)));
    for (int b = 0; b < 2; b++) {
        CHECK(cudaStreamCreate(&stream[b]));
        CHECK(cudaMallocHost((void **)&pinned[b], n * sizeof(int)));
        CHECK(cudaEventCreateWithFlags(&copied[b], cudaEventDisableTiming));
    }
    for (int round = 0; round < 4; round++) {
        int b = round % 2;
        CHECK(cudaEventSynchronize(copied[1 - b]));
        for (int i = 0; i < n; i++) pinned[b][i] = round + i;  // BUG
        CHECK(cudaMemcpyAsync(d_data + b * n, pinned[b], n * sizeof(int), cudaMemcpyHostToDevice,  // BUG (other side)
                              stream[b]));
        if (round < 1) CHECK(cudaEventRecord(copied[b], stream[b]));
    }
    CHECK(cudaDeviceSynchronize());
    for (int b = 0; b < 2; b++) {
        CHECK(cudaStreamDestroy(stream[b]));
        CHECK(cudaEventDestroy(copied[b]));
        CHECK(cudaFreeHost(pinned[b]));
    }
    CHECK(cudaFree(d_data));
    return failures != 0;
}
