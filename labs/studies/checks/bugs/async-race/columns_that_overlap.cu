// Two copies of columns in two streams: the right part begins one column too early.
#include "../../check.h"

int main(void)
{
    const int width = 64, height = 32, half = width / 2;
    int *d_image = NULL;
    size_t pitch = 0, row = width * sizeof(int);
    int *pinned = pinned_array<int>(width * height);
    CHECK(cudaMallocPitch((void **)&d_image, &pitch, row, height));
    for (int i = 0; i < width * height; i++) pinned[i] = i;
    cudaStream_t first = new_stream(), second = new_stream();
    CHECK(cudaMemcpy2DAsync(d_image, pitch, pinned, row, half * sizeof(int), height,  // BUG
                            cudaMemcpyHostToDevice, first));
    CHECK(cudaMemcpy2DAsync(d_image + half - 1, pitch, pinned + half - 1, row,  // BUG (other side)
                            (half + 1) * sizeof(int), height, cudaMemcpyHostToDevice, second));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_image));
    return finish();
}
