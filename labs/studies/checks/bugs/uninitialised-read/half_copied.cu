// The copy to the device counts elements where it should count bytes.
#include "../../check.h"

__global__ void negate(const short *in, short *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        short v = in[i];  // BUG
        out[i] = (short)-v;
    }
}

int main(void)
{
    const int n = 400;
    static short h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (short)i;
    short *d_in = device_array<short>(n);
    CHECK(cudaMemcpy(d_in, h_in, n, cudaMemcpyHostToDevice));
    short *d_out = device_zeros<short>(n);
    negate<<<4, 100>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
