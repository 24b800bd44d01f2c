// expect: out-of-bounds
// The grid is rounded up to whole blocks and the kernel forgets to compare with the image's size.
#include "../../check.h"

__global__ void brighten(float *image, int width, float by)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width)
        image[y * width + x] += by;  // BUG
}

int main(void)
{
    const int w = 45, h = 21, n = w * h;
    static float h_image[n];
    for (int i = 0; i < n; i++) h_image[i] = (float)(i % 17);
    float *d_image = device_copy(h_image);
    dim3 block(16, 8), grid((w + 15) / 16, (h + 7) / 8);
    brighten<<<grid, block>>>(d_image, w, 1.0f);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_image, d_image, sizeof h_image, cudaMemcpyDeviceToHost));
    printf("%g\n", h_image[n - 1]);
    CHECK(cudaFree(d_image));
    return failures != 0;
}
