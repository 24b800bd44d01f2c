// A stream is destroyed while it is busy: its work still ends.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    cudaStream_t stream;
    int *d_data = device_array<int>(n);
    CHECK(cudaStreamCreate(&stream));
    fill<<<4, 256, 0, stream>>>(d_data, n, 6);
    CHECK(cudaStreamDestroy(stream));
    EXPECT(d_data, n, i + 6);
    return finish();
}
