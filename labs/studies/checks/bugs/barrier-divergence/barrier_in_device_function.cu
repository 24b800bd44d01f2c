// The barrier hides in a helper, which only some threads call.
#include "../../check.h"

__device__ void store_and_wait(float *s_value, float v)
{
    *s_value = v;
    __syncthreads();  // BUG
}

__global__ void clip(const float *in, float *out)
{
    __shared__ float s[100];
    int t = threadIdx.x, i = blockIdx.x * 100 + t;
    s[t] = 0.0f;
    if (in[i] > 3.0f) store_and_wait(&s[t], in[i]);
    out[i] = s[t];
}

int main(void)
{
    const int n = 200;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    clip<<<2, 100>>>(d_in, d_out);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
