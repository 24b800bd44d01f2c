// Input and output are one image, but every thread touches its own pixel only.
#include "../check.h"

__global__ void invert(const unsigned char *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 255 - in[i];
}

int main(void)
{
    const int n = 777;
    unsigned char *d_image = DEVICE_ARRAY(unsigned char, n, i % 256);
    invert<<<7, 128>>>(d_image, d_image, n);
    CHECK_KERNEL();
    EXPECT(d_image, n, 255 - i % 256);
    return finish();
}
