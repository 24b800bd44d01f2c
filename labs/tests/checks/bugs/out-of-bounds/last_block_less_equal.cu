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
    unsigned char *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    unsigned char *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(unsigned char)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(unsigned char)));
    invert<<<(n + 95) / 96, 96>>>(d_in, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static unsigned char h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
