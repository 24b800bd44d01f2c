// The per-thread default stream is a blocking stream: cudaMemcpy() waits for it.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    int *d_data = device_array<int>(n);
    fill<<<4, 256, 0, cudaStreamPerThread>>>(d_data, n, 6);
    EXPECT(d_data, n, i + 6);
    return finish();
}
