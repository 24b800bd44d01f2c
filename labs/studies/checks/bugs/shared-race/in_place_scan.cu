// Hillis and Steele in one buffer: reading the old and writing the new value share a step.
#include "../../check.h"

__global__ void prefix_sum(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        if (t >= d)
            s[t] += s[t - d];  // BUG
        __syncthreads();
    }
    out[t] = s[t];
}

int main(void)
{
    const int n = 128;
    int *d_in = DEVICE_ARRAY(int, n, i % 17), *d_out = device_zeros<int>(n);
    prefix_sum<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
