// expect: async-race
// cudaMemset() goes to the legacy default stream, for which a non-blocking stream does not wait.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *d_data = NULL;
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMemset(d_data, 0, n * sizeof(int)));  // BUG
    twice<<<4, 256, 0, stream>>>(d_data, n);        // BUG (other side)
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(d_data));
    return failures != 0;
}
