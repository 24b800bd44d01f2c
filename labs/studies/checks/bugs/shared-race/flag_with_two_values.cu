// Several threads store different values into one shared variable.
#include "../../check.h"

__global__ void last_bright(const unsigned char *in, int *out, int n)
{
    __shared__ int s_found;
    if (threadIdx.x == 0) s_found = -1;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (in[i] > 200) s_found = i;  // BUG
    __syncthreads();
    if (threadIdx.x == 0) out[0] = s_found;
}

int main(void)
{
    const int n = 512;
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, (i * 7) % 256);
    int *d_out = device_zeros<int>(1);
    last_bright<<<1, 64>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, 1);
    return finish();
}
