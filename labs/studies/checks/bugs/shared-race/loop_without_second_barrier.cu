// A fast thread refills the tile while a slow one still reads the old contents.
#include "../../check.h"

#define T 64

__global__ void mirrored_sum(const float *in, float *out, int tiles)
{
    __shared__ float tile[T];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < tiles; k++) {
        tile[t] = in[k * T + t];  // BUG (other side)
        __syncthreads();
        sum += tile[T - 1 - t];  // BUG
    }
    out[t] = sum;
}

int main(void)
{
    const int tiles = 5, n = tiles * T;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(T);
    mirrored_sum<<<1, T>>>(d_in, d_out, tiles);
    CHECK_KERNEL();
    print_sum(d_out, T);
    return finish();
}
