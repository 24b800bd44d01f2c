// Input and output are the same image: neighbours may see filtered pixels.
#include "../../check.h"

__global__ void blur(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n) return;
    float left = in[i - 1];  // BUG
    out[i] = 0.5f * left + 1.0f;  // BUG (other side)
}

int main(void)
{
    const int n = 256;
    float *d_image = DEVICE_ARRAY(float, n, i % 17);
    blur<<<4, 64>>>(d_image, d_image, n);
    CHECK_KERNEL();
    return finish();
}
