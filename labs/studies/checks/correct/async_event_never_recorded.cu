// Waiting for an event that was never recorded does nothing.
#include "../kernels.h"

int main(void)
{
    cudaEvent_t event;
    cudaStream_t stream = new_stream();
    CHECK(cudaEventCreate(&event));
    CHECK(cudaStreamWaitEvent(stream, event, 0));
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaEventQuery(event));
    fill_table<<<4, 256, 0, stream>>>(1);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventDestroy(event));
    return finish();
}
