// Two streams, and no event between the kernel that writes and the one that reads.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    fill<<<4, 256, 0, first>>>(d_in, n, 5);            // BUG
    add_one<<<4, 256, 0, second>>>(d_in, d_out, n);    // BUG (other side)
    CHECK_KERNEL();
    EXPECT(d_out, n, i + 6);
    return finish();
}
