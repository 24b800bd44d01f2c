// The upload says device to host.
#include "../../kernels.h"

int main(void)
{
    const int n = 48;
    static int h_image[n];
    int *d_image = device_zeros<int>(n);
    CHECK(cudaMemcpy(d_image, h_image, sizeof h_image, cudaMemcpyDeviceToHost));  // BUG
    twice<<<1, n>>>(d_image, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_image, d_image, sizeof h_image, cudaMemcpyDeviceToHost));
    printf("%d\n", h_image[n - 1]);
    return finish();
}
