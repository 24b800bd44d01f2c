// Only the threads that load the apron reach the barrier.
#include "../../check.h"

#define T 64

__global__ void load_apron(const float *in, float *out)
{
    __shared__ float tile[T + 8];
    int t = threadIdx.x;
    tile[t] = in[t];
    if (t < 8) {
        tile[T + t] = in[T + t];
        __syncthreads();  // BUG
    }
    out[t] = tile[t];
}

int main(void)
{
    const int n = T + 8;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(T);
    load_apron<<<1, T>>>(d_in, d_out);
    CHECK_KERNEL();
    print_sum(d_out, T);
    return finish();
}
