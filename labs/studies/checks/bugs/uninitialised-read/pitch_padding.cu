// The kernel takes the padding behind each pitched row for pixels.
#include "../../check.h"

__global__ void row_sum(const float *in, size_t pitch, float *out, int h)
{
    int y = threadIdx.x;
    if (y >= h) return;
    const float *row = (const float *)((const char *)in + y * pitch);
    float sum = 0.0f;
    for (size_t x = 0; x < pitch / sizeof(float); x++)
        sum += row[x];  // BUG
    out[y] = sum;
}

int main(void)
{
    const int w = 50, h = 20;
    static float h_in[w * h];
    for (int i = 0; i < w * h; i++) h_in[i] = 1.0f;
    float *d_in = NULL;
    size_t pitch, row = w * sizeof(float);
    CHECK(cudaMallocPitch((void **)&d_in, &pitch, row, h));
    CHECK(cudaMemcpy2D(d_in, pitch, h_in, row, row, h, cudaMemcpyHostToDevice));
    float *d_out = device_zeros<float>(h);
    row_sum<<<1, 32>>>(d_in, pitch, d_out, h);
    CHECK_KERNEL();
    print_sum(d_out, h);
    CHECK(cudaFree(d_in));
    return finish();
}
