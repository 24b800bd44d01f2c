// The helper that sums an image forgets its temporary array.
#include "../../check.h"

__global__ void row_sums(const float *in, float *sums, int w)
{
    float s = 0.0f;
    for (int x = 0; x < w; x++) s += in[threadIdx.x * w + x];
    sums[threadIdx.x] = s;
}

static float image_sum(const float *d_in, int w, int h)
{
    float *d_sums = NULL, h_sums[32], total = 0.0f;
    CHECK(cudaMalloc((void **)&d_sums, h * sizeof(float)));  // BUG
    row_sums<<<1, h>>>(d_in, d_sums, w);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_sums, d_sums, h * sizeof(float), cudaMemcpyDeviceToHost));
    for (int y = 0; y < h; y++) total += h_sums[y];
    return total;
}

int main(void)
{
    const int w = 20, h = 32, n = w * h;
    float *d_in = DEVICE_ARRAY(float, n, i % 17);
    printf("%g\n", image_sum(d_in, w, h));
    return finish();
}
