// The device's array is filled by a loop on the host.
#include "../../kernels.h"

int main(void)
{
    const int n = 50;
    float *d_image = device_array<float>(n);
    for (int i = 0; i < n; i++)
        d_image[i] = 0.5f * i;  // BUG
    twice<<<1, 64>>>(d_image, n);
    CHECK_KERNEL();
    return finish();
}
