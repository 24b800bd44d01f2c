// Device 99 does not exist; the program goes on with device 0 by luck.
#include "../../kernels.h"

int main(void)
{
    cudaSetDevice(99);  // BUG
    int *d_out = device_zeros<int>(50);
    ramp<<<1, 50>>>(d_out);
    CHECK(cudaDeviceSynchronize());
    print_sum(d_out, 50);
    return finish();
}
