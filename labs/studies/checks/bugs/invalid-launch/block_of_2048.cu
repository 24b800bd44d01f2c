// expect: invalid-launch
// One block for the whole row of 2048 pixels.
#include "../../check.h"

__global__ void invert(const unsigned char *in, unsigned char *out)
{
    out[threadIdx.x] = 255 - in[threadIdx.x];
}

int main(void)
{
    const int n = 2048;
    static unsigned char h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (unsigned char)(i % 256);
    unsigned char *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    unsigned char *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(unsigned char)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(unsigned char)));
    invert<<<1, n>>>(d_in, d_out);  // BUG
    static unsigned char h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
