// expect: out-of-bounds
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
    static unsigned char h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (unsigned char)(i % 251);
    unsigned char *d_in = device_copy(h_in);
    unsigned char *d_out = device_zeros<unsigned char>(n);
    invert<<<(n + 95) / 96, 96>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static unsigned char h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
