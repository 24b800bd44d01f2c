// expect: out-of-bounds
// The tile has no room for the apron below: row 16 of a tile of 16 rows.
#include "../../check.h"

#define T 16

__global__ void smooth_down(const float *in, float *out, int w, int h)
{
    __shared__ float tile[T][T];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = x < w && y < h ? in[y * w + x] : 0.0f;
    __syncthreads();
    const float *mine = &tile[threadIdx.y][threadIdx.x];
    float below = mine[T];  // BUG
    if (x < w && y < h) out[y * w + x] = 0.5f * (*mine + below);
}

int main(void)
{
    const int w = 40, h = 30, n = w * h;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(n);
    smooth_down<<<dim3(3, 2), dim3(T, T)>>>(d_in, d_out, w, h);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
