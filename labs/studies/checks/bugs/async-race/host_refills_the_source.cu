// The host fills the pinned source again while the copy from it may still run.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    for (int i = 0; i < n; i++) pinned[i] = i;
    CHECK(cudaMemcpyAsync(d_data, pinned, n * sizeof(int), cudaMemcpyHostToDevice, stream));  // BUG (other side)
    twice<<<4, 256, 0, stream>>>(d_data, n);
    for (int i = 0; i < n; i++) pinned[i] = -1;  // BUG
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i++)
        if (pinned[i] != 2 * i) failures++;
    return finish();
}
