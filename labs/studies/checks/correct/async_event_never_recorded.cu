// expect: nothing
// Waiting for an event that was never recorded does nothing.
#include "../check.h"

__device__ int d_table[1000];

__global__ void fill_table(int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1000) d_table[i] = value + i;
}

int main(void)
{
    cudaStream_t stream;
    cudaEvent_t event;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaStreamWaitEvent(stream, event, 0));
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaEventQuery(event));
    fill_table<<<4, 256, 0, stream>>>(1);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(stream));
    return failures != 0;
}
