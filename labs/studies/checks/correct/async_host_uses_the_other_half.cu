// The host fills one half of a pinned buffer while the other half is copied.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    const int half = n / 2 + 1;
    for (int i = 0; i < half; i++) pinned[i] = i;
    CHECK(cudaMemcpyAsync(d_data, pinned, half * sizeof(int), cudaMemcpyHostToDevice, stream));
    for (int i = half; i < n; i++) pinned[i] = i;
    CHECK(cudaMemcpyAsync(d_data + half, pinned + half, (n - half) * sizeof(int), cudaMemcpyHostToDevice,
                          stream));
    long sum = 0;
    for (int i = 0; i < n; i++) sum += pinned[i];
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i++) pinned[i] = -1;
    CHECK(cudaMemcpy(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) sum -= pinned[i];
    if (sum != 0) failures++;
    return finish();
}
