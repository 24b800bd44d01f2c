// The output of cudaMalloc is added to without having been cleared.
#include "../../check.h"

__global__ void accumulate(const float *in, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] += in[i];  // BUG
}

int main(void)
{
    const int n = 256;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_sum = device_array<float>(n);
    accumulate<<<2, 128>>>(d_in, d_sum, n);
    CHECK_KERNEL();
    print_sum(d_sum, n);
    return finish();
}
