// Kernels in two streams read one array at the same time.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    int *d_other = device_array<int>(n);
    fill<<<4, 256>>>(d_in, n, 5);
    add_one<<<4, 256, 0, first>>>(d_in, d_out, n);
    add_one<<<4, 256, 0, second>>>(d_in, d_other, n);
    CHECK(cudaGetLastError());
    EXPECT(d_other, n, i + 6);
    return finish();
}
