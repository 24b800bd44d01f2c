// expect: note global-race
// Overlapping blocks clear the border; a corner is cleared more than once, always to 0.
#include "../check.h"

__global__ void clear_border(int *image, int w, int h)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < w) {
        image[k] = 0;
        image[(h - 1) * w + k] = 0;
    }
    if (k < h) {
        image[k * w] = 0;
        image[k * w + w - 1] = 0;
    }
}

int main(void)
{
    const int w = 90, h = 70, n = w * h;
    static int h_image[n];
    for (int i = 0; i < n; i++) h_image[i] = 1;
    int *d_image = device_copy(h_image);
    clear_border<<<3, 32>>>(d_image, w, h);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_image, d_image, sizeof h_image, cudaMemcpyDeviceToHost));
    int sum = 0;
    for (int i = 0; i < n; i++) sum += h_image[i];
    if (sum != (w - 2) * (h - 2)) failures++;
    return finish();
}
