// 60 KB of dynamic shared memory without having asked for more than the default 48.
#include "../../check.h"

__global__ void stage(const float *in, float *out, int n)
{
    extern __shared__ float s_data[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s_data[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s_data[n - 1 - i];
}

int main(void)
{
    const int n = 15 * 1024;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    stage<<<1, 256, n * sizeof(float)>>>(d_in, d_out, n);  // BUG
    print_sum(d_out, n);
    return finish();
}
