// expect: out-of-bounds
// A look-up table of 128 entries in a __device__ array meets pixels up to 200.
#include "../../check.h"

__device__ float d_table[128];

__global__ void map_levels(const unsigned char *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = d_table[in[i]];  // BUG
}

int main(void)
{
    const int n = 400;
    float table[128];
    for (int k = 0; k < 128; k++) table[k] = 0.5f * k;
    CHECK(cudaMemcpyToSymbol(d_table, table, sizeof table));
    static unsigned char h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (unsigned char)(i % 201);
    unsigned char *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(n);
    map_levels<<<4, 100>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
