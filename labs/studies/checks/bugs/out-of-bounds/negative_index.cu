// expect: out-of-bounds
// The first row has no row above it.
#include "../../check.h"

__global__ void vertical_edge(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float above = in[(y - 1) * w + x];  // BUG
    out[y * w + x] = in[y * w + x] - above;
}

int main(void)
{
    const int w = 37, h = 19, n = w * h;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(n);
    dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);
    vertical_edge<<<grid, block>>>(d_in, d_out, w, h);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
