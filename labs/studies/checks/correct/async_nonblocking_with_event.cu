// A non-blocking stream waits for an event of the default stream.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    int h_last = -1;
    cudaStream_t stream;
    int *d_data = device_array<int>(n);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cudaEvent_t ready = new_event();
    CHECK(cudaMemset(d_data, 0, n * sizeof(int)));
    CHECK(cudaEventRecord(ready, 0));
    CHECK(cudaStreamWaitEvent(stream, ready, 0));
    twice<<<4, 256, 0, stream>>>(d_data, n);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&h_last, d_data + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
    if (h_last != 0) failures++;
    CHECK(cudaStreamDestroy(stream));
    return finish();
}
