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
    unsigned char *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    unsigned int *d_bits = NULL;
    CHECK(cudaMalloc((void **)&d_bits, 20 * sizeof(unsigned int)));
    CHECK(cudaMemset(d_bits, 0, 20 * sizeof(unsigned int)));
    pack<<<10, 64>>>(d_in, d_bits, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static unsigned int h_bits[20];
    CHECK(cudaMemcpy(h_bits, d_bits, sizeof h_bits, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < 20; i++) sum += h_bits[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_bits));
    return failures != 0;
}
