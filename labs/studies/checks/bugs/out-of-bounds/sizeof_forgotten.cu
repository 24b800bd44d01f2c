// cudaMalloc got the number of floats instead of the number of bytes.
#include "../../check.h"

__global__ void ramp(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * i;  // BUG
}

int main(void)
{
    const int n = 3000;
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n));
    ramp<<<(n + 127) / 128, 128>>>(d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, 8);
    CHECK(cudaFree(d_out));
    return failures != 0;
}
