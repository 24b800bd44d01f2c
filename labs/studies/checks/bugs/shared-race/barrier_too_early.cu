// The barrier stands between the tile's interior and its apron instead of behind both.
#include "../../check.h"

#define T 64
#define R 2

__global__ void blur(const float *in, float *out, int n)
{
    __shared__ float tile[T + 2 * R];
    int t = threadIdx.x, i = blockIdx.x * T + t;
    tile[t + R] = i < n ? in[i] : 0.0f;
    if (t < R) tile[t] = i >= R ? in[i - R] : 0.0f;
    __syncthreads();
    if (t < R) tile[t + T + R] = i + T < n ? in[i + T] : 0.0f;  // BUG (other side)
    float sum = 0.0f;
    for (int k = 0; k <= 2 * R; k++)
        sum += tile[t + k];  // BUG
    if (i < n) out[i] = sum / 5.0f;
}

int main(void)
{
    const int n = 300;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    blur<<<5, T>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
