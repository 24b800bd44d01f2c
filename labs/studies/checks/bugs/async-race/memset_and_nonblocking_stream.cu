// cudaMemset() goes to the legacy default stream, for which a non-blocking stream does not wait.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *d_data = device_array<int>(n);
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMemset(d_data, 0, n * sizeof(int)));  // BUG
    twice<<<4, 256, 0, stream>>>(d_data, n);        // BUG (other side)
    CHECK_KERNEL();
    CHECK(cudaStreamDestroy(stream));
    return finish();
}
