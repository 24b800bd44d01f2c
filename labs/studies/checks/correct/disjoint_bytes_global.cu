// Blocks meet inside a word of a byte image, each at its own byte.
#include "../check.h"

__global__ void own_byte(unsigned char *image, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) image[i] = (unsigned char)(image[i] + blockIdx.x);
}

int main(void)
{
    const int n = 310;
    unsigned char *d_image = device_zeros<unsigned char>(n);
    own_byte<<<10, 31>>>(d_image, n);
    CHECK_KERNEL();
    EXPECT(d_image, n, i / 31);
    return finish();
}
