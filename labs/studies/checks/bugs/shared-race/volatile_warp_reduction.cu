// The unrolled last warp of old reduction tutorials: volatile, but no __syncwarp in between.
#include "../../check.h"

__global__ void reduce64(const float *in, float *out)
{
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32) {
        for (int d = 32; d > 0; d /= 2)
            s[t] = s[t] + s[t + d];  // BUG
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

int main(void)
{
    const int n = 128;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(2);
    reduce64<<<2, 64>>>(d_in, d_out);
    CHECK_KERNEL();
    print_sum(d_out, 2);
    return finish();
}
