// expect: nothing
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
    static unsigned char h_image[n];
    for (int i = 0; i < n; i++) h_image[i] = (unsigned char)(i % 256);
    unsigned char *d_image = device_copy(h_image);
    invert<<<7, 128>>>(d_image, d_image, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_image, d_image, sizeof h_image, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_image[i] != 255 - i % 256) failures++;
    CHECK(cudaFree(d_image));
    return failures != 0;
}
