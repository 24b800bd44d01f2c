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
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, i % 201);
    float *d_out = device_zeros<float>(n);
    map_levels<<<4, 100>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
