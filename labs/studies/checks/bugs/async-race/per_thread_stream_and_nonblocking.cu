// The per-thread default stream does not wait for a non-blocking stream.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fill<<<4, 256, 0, stream>>>(d_in, n, 5);                      // BUG
    add_one<<<4, 256, 0, cudaStreamPerThread>>>(d_in, d_out, n);  // BUG (other side)
    CHECK_KERNEL();
    CHECK(cudaStreamDestroy(stream));
    return finish();
}
