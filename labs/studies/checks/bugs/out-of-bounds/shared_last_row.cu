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
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    smooth_down<<<dim3(3, 2), dim3(T, T)>>>(d_in, d_out, w, h);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
