// Two pinned buffers take turns; the host waits for the copy from the one that it fills.
#include "../check.h"

__global__ void add_up(const int *in, int n, int *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, in[i]);
}

int main(void)
{
    const int n = 1000;
    int *pinned[2] = {NULL, NULL}, *d_data[2] = {NULL, NULL}, *d_sum = NULL, sum = 0;
    cudaStream_t stream[2];
    cudaEvent_t copied[2];
    CHECK(cudaMalloc((void **)&d_sum, sizeof(int)));
    CHECK(cudaMemset(d_sum, 0, sizeof(int)));
    for (int b = 0; b < 2; b++) {
        CHECK(cudaStreamCreate(&stream[b]));
        CHECK(cudaEventCreateWithFlags(&copied[b], cudaEventDisableTiming));
        CHECK(cudaMallocHost((void **)&pinned[b], n * sizeof(int)));
        CHECK(cudaMalloc((void **)&d_data[b], n * sizeof(int)));
    }
    for (int round = 0; round < 6; round++) {
        int b = round % 2;
        CHECK(cudaEventSynchronize(copied[b]));
        for (int i = 0; i < n; i++) pinned[b][i] = round;
        CHECK(cudaMemcpyAsync(d_data[b], pinned[b], n * sizeof(int), cudaMemcpyHostToDevice, stream[b]));
        CHECK(cudaEventRecord(copied[b], stream[b]));
        add_up<<<4, 256, 0, stream[b]>>>(d_data[b], n, d_sum);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    if (sum != 15 * n) failures++;
    for (int b = 0; b < 2; b++) {
        CHECK(cudaStreamDestroy(stream[b]));
        CHECK(cudaEventDestroy(copied[b]));
        CHECK(cudaFreeHost(pinned[b]));
        CHECK(cudaFree(d_data[b]));
    }
    CHECK(cudaFree(d_sum));
    return failures != 0;
}
