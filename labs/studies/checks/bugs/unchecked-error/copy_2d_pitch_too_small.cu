// The source's pitch is given in floats, less than a row's bytes: the call fails, unseen.
#include "../../check.h"

__global__ void sum_rows(const float *in, size_t pitch, float *out, int w)
{
    const float *row = (const float *)((const char *)in + threadIdx.x * pitch);
    float sum = 0.0f;
    for (int x = 0; x < w; x++) sum += row[x];
    out[threadIdx.x] = sum;
}

int main(void)
{
    const int w = 30, h = 16;
    static float h_in[w * h];
    float *d_in = NULL;
    size_t pitch, row = w * sizeof(float);
    CHECK(cudaMallocPitch((void **)&d_in, &pitch, row, h));
    CHECK(cudaMemset2D(d_in, pitch, 0, row, h));
    cudaMemcpy2D(d_in, pitch, h_in, w, row, h, cudaMemcpyHostToDevice);  // BUG
    float *d_out = device_zeros<float>(h);
    sum_rows<<<1, h>>>(d_in, pitch, d_out, w);
    CHECK(cudaDeviceSynchronize());
    print_sum(d_out, h);
    CHECK(cudaFree(d_in));
    return finish();
}
