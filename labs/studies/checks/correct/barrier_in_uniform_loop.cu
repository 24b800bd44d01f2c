// The number of rounds differs from block to block, never within a block.
#include "../check.h"

__global__ void rotate(int *image)
{
    __shared__ int s[50];
    int t = threadIdx.x;
    s[t] = image[blockIdx.x * 50 + t];
    for (unsigned int k = 0; k < blockIdx.x; k++) {
        __syncthreads();
        int v = s[(t + 1) % 50];
        __syncthreads();
        s[t] = v;
    }
    image[blockIdx.x * 50 + t] = s[t];
}

int main(void)
{
    const int n = 5 * 50;
    int *d_image = DEVICE_ARRAY(int, n, i % 50);
    rotate<<<5, 50>>>(d_image);
    CHECK_KERNEL();
    EXPECT(d_image, n, (i % 50 + i / 50) % 50);
    return finish();
}
