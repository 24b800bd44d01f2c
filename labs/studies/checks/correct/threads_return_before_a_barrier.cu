// expect: note barrier-divergence
// A barrier waits for the threads of the block that have not returned, on every GPU since Volta.
#include "../check.h"

__global__ void smooth(const float *in, float *out, int n)
{
    __shared__ float tile[80];
    int t = threadIdx.x, i = blockIdx.x * 80 + t;
    if (i >= n) return;
    tile[t] = in[i];
    __syncthreads();
    float left = t > 0 ? tile[t - 1] : tile[t];
    out[i] = 0.5f * (left + tile[t]);
}

int main(void)
{
    const int n = 210;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    smooth<<<3, 80>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
