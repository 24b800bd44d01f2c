// Transpose through a padded tile; the padding column is never touched.
#include "../check.h"

#define T 16

__global__ void transpose(const int *in, int *out, int w, int h)
{
    __shared__ int tile[T][T + 1];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    if (x < w && y < h) tile[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    x = blockIdx.y * T + threadIdx.x;
    y = blockIdx.x * T + threadIdx.y;
    if (x < h && y < w) out[y * h + x] = tile[threadIdx.x][threadIdx.y];
}

int main(void)
{
    const int w = 37, h = 21, n = w * h;
    int *d_in = DEVICE_ARRAY(int, n, i), *d_out = device_zeros<int>(n);
    transpose<<<dim3(3, 2), dim3(T, T)>>>(d_in, d_out, w, h);
    CHECK_KERNEL();
    EXPECT(d_out, n, i % h * w + i / h);
    return finish();
}
