// The event is recorded before the kernel whose end it should mark.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    cudaEvent_t ready = new_event();
    CHECK(cudaEventRecord(ready, first));
    fill<<<4, 256, 0, first>>>(d_in, n, 5);          // BUG
    CHECK(cudaStreamWaitEvent(second, ready, 0));
    add_one<<<4, 256, 0, second>>>(d_in, d_out, n);  // BUG (other side)
    CHECK(cudaGetLastError());
    EXPECT(d_out, n, i + 6);
    return finish();
}
