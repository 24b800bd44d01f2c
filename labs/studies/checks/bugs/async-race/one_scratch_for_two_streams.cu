// Each stream has its own input and output, but both use one scratch array.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    int *d_scratch = device_array<int>(n);
    cudaStream_t first = new_stream(), second = new_stream();
    int *data[2] = {d_in, d_out};
    cudaStream_t stream[2] = {first, second};
    for (int s = 0; s < 2; s++) {
        add_one<<<4, 256, 0, stream[s]>>>(data[s], d_scratch, n);  // BUG
        add_one<<<4, 256, 0, stream[s]>>>(d_scratch, data[s], n);  // BUG (other side)
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
    return finish();
}
