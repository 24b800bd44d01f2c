// memset() of the pinned source, before anything has waited for the copy from it.
#include "../../check.h"

#include <cstring>

int main(void)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    for (int i = 0; i < n; i++) pinned[i] = i;
    CHECK(cudaMemcpyAsync(d_data, pinned, n * sizeof(int), cudaMemcpyHostToDevice, stream));  // BUG
    memset(pinned, 0, n * sizeof(int));  // BUG (other side)
    CHECK(cudaStreamSynchronize(stream));
    return finish();
}
