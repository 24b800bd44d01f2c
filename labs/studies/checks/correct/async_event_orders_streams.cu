// The consumer's stream waits for an event of the producer's.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    cudaEvent_t ready = new_event();
    fill<<<4, 256, 0, first>>>(d_in, n, 5);
    CHECK(cudaEventRecord(ready, first));
    CHECK(cudaStreamWaitEvent(second, ready, 0));
    add_one<<<4, 256, 0, second>>>(d_in, d_out, n);
    CHECK(cudaGetLastError());
    EXPECT(d_out, n, i + 6);
    return finish();
}
