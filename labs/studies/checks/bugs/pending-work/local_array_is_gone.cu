// A local array is registered and copied, and its function returns before the copy.
#include "../../check.h"

__attribute__((noinline)) static void upload(int *d_data, int n, cudaStream_t stream)
{
    int h_local[1000];
    for (int i = 0; i < n; i++) h_local[i] = i;
    CHECK(cudaHostRegister(h_local, sizeof h_local, cudaHostRegisterDefault));  // BUG (other side)
    CHECK(cudaMemcpyAsync(d_data, h_local, n * sizeof(int), cudaMemcpyHostToDevice, stream));  // BUG
}

int main(void)
{
    const int n = 1000;
    int *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    upload(d_data, n, stream);
    CHECK(cudaStreamSynchronize(stream));
    return finish();
}
