// A tree reduction whose levels are not separated.
#include "../../check.h"

__global__ void reduce(const float *in, float *out)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];  // BUG
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

int main(void)
{
    const int n = 512;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(2);
    reduce<<<2, 256>>>(d_in, d_out);
    CHECK_KERNEL();
    print_sum(d_out, 2);
    return finish();
}
