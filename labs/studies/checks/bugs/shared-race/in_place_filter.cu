// The filtered row overwrites the tile that other threads are still filtering.
#include "../../check.h"

#define T 100

__global__ void sharpen(const float *in, float *out)
{
    __shared__ float row[T];
    int t = threadIdx.x, i = blockIdx.x * T + t;
    row[t] = in[i];
    __syncthreads();
    float sum = t > 0 ? row[t - 1] : 0.0f;  // BUG
    row[t] = 2.0f * row[t] - sum;  // BUG (other side)
    __syncthreads();
    out[i] = row[T - 1 - t];
}

int main(void)
{
    const int n = 3 * T;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    sharpen<<<3, T>>>(d_in, d_out);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
