// A kernel in the default stream waits for both blocking streams, and they for it.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    fill<<<2, 256, 0, first>>>(d_in, n / 2, 5);
    fill<<<2, 256, 0, second>>>(d_in + n / 2, n / 2, 5 + n / 2);
    add_one<<<4, 256>>>(d_in, d_out, n);
    twice<<<2, 256, 0, first>>>(d_out, n / 2);
    twice<<<2, 256, 0, second>>>(d_out + n / 2, n / 2);
    EXPECT(d_out, n, 2 * (i + 6));
    return finish();
}
