// The blocks add their sums to one global variable without an atomic.
#include "../../check.h"

__global__ void total(const float *in, float *sum)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t == 0) {
        float block = 0.0f;
        for (int k = 0; k < 64; k++) block += s[k];
        *sum += block;  // BUG
    }
}

int main(void)
{
    const int n = 6 * 64;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_sum = device_zeros<float>(1);
    total<<<6, 64>>>(d_in, d_sum);
    CHECK_KERNEL();
    print_sum(d_sum, 1);
    return finish();
}
