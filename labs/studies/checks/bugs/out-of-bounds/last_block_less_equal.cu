// The guard says <= where it should say <: one thread of the last block writes past the end.
#include "../../check.h"

__global__ void invert(const unsigned char *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {
        unsigned char v = i < n ? in[i] : 0;
        out[i] = 255 - v;  // BUG
    }
}

int main(void)
{
    const int n = 1000;
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, i % 251);
    unsigned char *d_out = device_zeros<unsigned char>(n);
    invert<<<(n + 95) / 96, 96>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
