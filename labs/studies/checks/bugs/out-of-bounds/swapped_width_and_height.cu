// expect: out-of-bounds
// Row and column are swapped in the index, which only a square image forgives.
#include "../../check.h"

__global__ void threshold(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float v = in[x * w + y];  // BUG
    out[y * w + x] = v > 8.0f ? 1.0f : 0.0f;
}

int main(void)
{
    const int w = 60, h = 22, n = w * h;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(n);
    dim3 block(32, 4), grid((w + 31) / 32, (h + 3) / 4);
    threshold<<<grid, block>>>(d_in, d_out, w, h);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
