// Pitched memory: rows found through bytes, the padding left alone.
#include "../check.h"

__global__ void add_row_number(int *image, size_t pitch, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w || y >= h) return;
    int *row = (int *)((char *)image + y * pitch);
    row[x] += y;
}

int main(void)
{
    const int w = 53, h = 11;
    static int h_image[w * h];
    size_t pitch, row = w * sizeof(int);
    int *d_image = NULL;
    for (int i = 0; i < w * h; i++) h_image[i] = i;
    CHECK(cudaMallocPitch((void **)&d_image, &pitch, row, h));
    CHECK(cudaMemcpy2D(d_image, pitch, h_image, row, row, h, cudaMemcpyHostToDevice));
    add_row_number<<<dim3(2, h), 32>>>(d_image, pitch, w, h);
    CHECK_KERNEL();
    CHECK(cudaMemcpy2D(h_image, row, d_image, pitch, row, h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < w*h; i++)
        if (h_image[i] != i + i / w) failures++;
    CHECK(cudaFree(d_image));
    return failures != 0;
}
