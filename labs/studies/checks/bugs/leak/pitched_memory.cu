// One of two pitched images is left behind.
#include "../../check.h"

__global__ void flip(const float *in, float *out, size_t pitch, int w, int h)
{
    const float *from = (const float *)((const char *)in + blockIdx.x * pitch);
    float *to = (float *)((char *)out + (h - 1 - blockIdx.x) * pitch);
    if (threadIdx.x < w) to[threadIdx.x] = from[threadIdx.x];
}

int main(void)
{
    const int w = 45, h = 12;
    size_t row = w * sizeof(float), pitch, pitch2;
    float *d_in = NULL, *d_out = NULL;
    CHECK(cudaMallocPitch((void **)&d_in, &pitch, row, h));
    CHECK(cudaMallocPitch((void **)&d_out, &pitch2, row, h));  // BUG
    CHECK(cudaMemset2D(d_in, pitch, 0, row, h));
    flip<<<h, 64>>>(d_in, d_out, pitch, w, h);
    CHECK_KERNEL();
    CHECK(cudaFree(d_in));
    return failures != 0;
}
