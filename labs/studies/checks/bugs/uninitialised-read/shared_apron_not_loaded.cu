// Only the tile's interior is loaded; the apron on the left and right is read as it was.
#include "../../check.h"

#define T 64

__global__ void blur(const float *in, float *out, int n)
{
    __shared__ float tile[T + 2];
    int i = blockIdx.x * T + threadIdx.x;
    tile[threadIdx.x + 1] = i < n ? in[i] : 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 3; k++)
        sum += tile[threadIdx.x + k];  // BUG
    if (i < n) out[i] = sum / 3.0f;
}

int main(void)
{
    const int n = 200;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    blur<<<4, T>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
