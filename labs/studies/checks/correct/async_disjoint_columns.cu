// Two streams copy the left and the right columns of one image.
#include "../check.h"

int main(void)
{
    const int width = 64, height = 32, left = 21;
    int *d_image = NULL;
    size_t pitch = 0, row = width * sizeof(int);
    int *pinned = pinned_array<int>(width * height);
    CHECK(cudaMallocPitch((void **)&d_image, &pitch, row, height));
    for (int i = 0; i < width * height; i++) pinned[i] = i;
    cudaStream_t first = new_stream(), second = new_stream();
    CHECK(cudaMemcpy2DAsync(d_image, pitch, pinned, row, left * sizeof(int), height,
                            cudaMemcpyHostToDevice, first));
    CHECK(cudaMemcpy2DAsync(d_image + left, pitch, pinned + left, row, (width - left) * sizeof(int),
                            height, cudaMemcpyHostToDevice, second));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < width * height; i++) pinned[i] = 0;
    CHECK(cudaMemcpy2D(pinned, row, d_image, pitch, row, height, cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++)
        if (pinned[i] != i) failures++;
    CHECK(cudaFree(d_image));
    return finish();
}
