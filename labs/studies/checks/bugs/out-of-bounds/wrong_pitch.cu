// expect: out-of-bounds
// The image is dense, 50 floats a row; the kernel is told a pitch of 64 floats.
#include "../../check.h"

__global__ void copy_rows(const float *in, int in_pitch, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x < w && y < h)
        out[y * w + x] = in[y * in_pitch + x];  // BUG
}

int main(void)
{
    const int w = 50, h = 24, n = w * h;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(n);
    copy_rows<<<dim3(1, h), 64>>>(d_in, 64, d_out, w, h);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
