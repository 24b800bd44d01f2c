// The copy back is queued in another stream than the kernel, without an event.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t first = new_stream(), second = new_stream();
    fill<<<4, 256, 0, first>>>(d_data, n, 3);  // BUG
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, second));  // BUG (other side)
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaStreamSynchronize(second));
    for (int i = 0; i < n; i++)
        if (pinned[i] != 3 + i) failures++;
    return finish();
}
