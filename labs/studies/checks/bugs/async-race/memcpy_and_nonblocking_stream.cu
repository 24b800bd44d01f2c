// cudaMemcpy() waits for the legacy default stream only, not for a non-blocking one.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    static int h_data[1000];
    int *d_data = device_array<int>(n);
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);                                          // BUG
    CHECK(cudaMemcpy(h_data, d_data, n * sizeof(int), cudaMemcpyDeviceToHost));  // BUG (other side)
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i++)
        if (h_data[i] != 3 + i) failures++;
    CHECK(cudaStreamDestroy(stream));
    return finish();
}
