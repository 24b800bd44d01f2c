// The host waits for one stream and reads what the other copies.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t first = new_stream(), second = new_stream();
    fill<<<4, 256, 0, first>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, first));  // BUG (other side)
    CHECK(cudaStreamSynchronize(second));
    int wrong = 0;
    for (int i = 0; i < n; i++)
        if (pinned[i] != 3 + i) wrong++;  // BUG
    CHECK(cudaStreamSynchronize(first));
    failures += wrong;
    return finish();
}
