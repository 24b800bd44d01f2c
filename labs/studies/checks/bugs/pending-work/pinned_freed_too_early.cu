// The pinned buffer is freed while the copy from it may still run.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *pinned = NULL;
    CHECK(cudaMallocHost((void **)&pinned, n * sizeof(int)));
    int *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    for (int i = 0; i < n; i++) pinned[i] = i;
    CHECK(cudaMemcpyAsync(d_data, pinned, n * sizeof(int), cudaMemcpyHostToDevice, stream));  // BUG (other side)
    CHECK(cudaFreeHost(pinned));  // BUG
    twice<<<4, 256, 0, stream>>>(d_data, n);
    CHECK(cudaStreamSynchronize(stream));
    return finish();
}
