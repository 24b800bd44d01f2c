// A copy from device to device in another stream reads what a kernel still writes.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    fill<<<4, 256, 0, first>>>(d_in, n, 5);  // BUG
    CHECK(cudaMemcpyAsync(d_out, d_in, n * sizeof(int), cudaMemcpyDeviceToDevice, second));  // BUG (other side)
    CHECK(cudaDeviceSynchronize());
    return finish();
}
