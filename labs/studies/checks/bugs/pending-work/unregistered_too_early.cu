// The memory is unregistered before the copy to it has been waited for.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    static int h_data[1000];
    int *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    CHECK(cudaHostRegister(h_data, sizeof h_data, cudaHostRegisterDefault));
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(h_data, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));  // BUG (other side)
    CHECK(cudaHostUnregister(h_data));  // BUG
    CHECK(cudaStreamSynchronize(stream));
    return finish();
}
