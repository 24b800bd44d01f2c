// expect: async-race
// The per-thread default stream does not wait for a non-blocking stream.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *d_in = NULL, *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_in, n * sizeof(int)));
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    CHECK(cudaMemset(d_in, 0, n * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fill<<<4, 256, 0, stream>>>(d_in, n, 5);                      // BUG
    add_one<<<4, 256, 0, cudaStreamPerThread>>>(d_in, d_out, n);  // BUG (other side)
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
