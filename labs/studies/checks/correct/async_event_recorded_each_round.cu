// One event is recorded again in each round; each wait is for its latest record.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    cudaEvent_t ready = new_event();
    for (int round = 0; round < 4; round++) {
        fill<<<4, 256, 0, first>>>(d_in, n, round + 2);
        CHECK(cudaEventRecord(ready, first));
        CHECK(cudaStreamWaitEvent(second, ready, 0));
        add_one<<<4, 256, 0, second>>>(d_in, d_out, n);
        CHECK(cudaEventRecord(ready, second));
        CHECK(cudaStreamWaitEvent(first, ready, 0));
    }
    CHECK(cudaStreamSynchronize(first));
    EXPECT(d_out, n, i + 6);
    return finish();
}
