// The host reads the result through the device's pointer.
#include "../../kernels.h"

int main(void)
{
    int *d_out = device_zeros<int>(1);
    ramp<<<1, 1>>>(d_out);
    CHECK_KERNEL();
    printf("%d\n", *d_out);  // BUG
    return finish();
}
