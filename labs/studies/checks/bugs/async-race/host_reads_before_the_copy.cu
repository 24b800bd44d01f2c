// The host reads the pinned destination of a copy before it has waited for it.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));  // BUG (other side)
    long sum = 0;
    for (int i = 0; i < n; i++) sum += pinned[i];  // BUG
    CHECK(cudaStreamSynchronize(stream));
    if (sum != 3L * n + n * (n - 1L) / 2) failures++;
    return finish();
}
