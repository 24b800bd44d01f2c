// expect: global-race
// Pixels are packed 32 to a word, one thread a pixel, with a plain |=.
#include "../../check.h"

__global__ void pack(const unsigned char *in, unsigned int *bits, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i])
        bits[i / 32] |= 1u << i % 32;  // BUG
}

int main(void)
{
    const int n = 640;
    static unsigned char h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (unsigned char)(i % 3);
    unsigned char *d_in = device_copy(h_in);
    unsigned int *d_bits = device_zeros<unsigned int>(20);
    pack<<<10, 64>>>(d_in, d_bits, n);
    CHECK_KERNEL();
    static unsigned int h_bits[20];
    CHECK(cudaMemcpy(h_bits, d_bits, sizeof h_bits, cudaMemcpyDeviceToHost));
    print_sum(h_bits);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_bits));
    return failures != 0;
}
