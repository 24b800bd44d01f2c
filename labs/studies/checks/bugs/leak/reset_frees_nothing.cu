// The program resets the device and never frees its memory.
#include "../../kernels.h"

int main(void)
{
    int *d_values = NULL;
    CHECK(cudaMalloc((void **)&d_values, 32 * sizeof(int)));  // BUG
    ramp<<<1, 32>>>(d_values);
    CHECK_KERNEL();
    CHECK(cudaDeviceReset());
    return failures != 0;
}
