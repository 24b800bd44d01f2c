// Two streams, each with its half of a pinned buffer; an event orders the last kernel.
#include "../check.h"

__global__ void twice(int *part, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) part[i] *= 2;
}

int main(void)
{
    const int n = 200, half = n / 2;
    int *pinned = pinned_array<int>(n);
    for (int i = 0; i < n; i++) pinned[i] = i;
    int *d_data = device_array<int>(n);
    cudaStream_t stream[2];
    cudaEvent_t ready;
    CHECK(cudaEventCreate(&ready));
    for (int s = 0; s < 2; s++) {
        CHECK(cudaStreamCreate(&stream[s]));
        CHECK(cudaMemcpyAsync(d_data + s * half, pinned + s * half, half * sizeof(int),
                              cudaMemcpyHostToDevice, stream[s]));
        twice<<<2, 64, 0, stream[s]>>>(d_data + s * half, half);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaEventRecord(ready, stream[1]));
    CHECK(cudaStreamWaitEvent(stream[0], ready, 0));
    twice<<<4, 64, 0, stream[0]>>>(d_data, n);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream[0]));
    CHECK(cudaStreamSynchronize(stream[0]));
    for (int i = 0; i < n; i++)
        if (pinned[i] != 4 * i) failures++;
    for (int s = 0; s < 2; s++) CHECK(cudaStreamDestroy(stream[s]));
    CHECK(cudaEventDestroy(ready));
    return finish();
}
