#include "../check.h"

// The constants take all 64 KB of constant memory.
__constant__ float c_table[16383];
__constant__ int c_last;

__global__ void sum_ends(float *out)
{
    *out = c_table[0] + c_table[16382] + c_last;
}

PROGRAM(full_constant_memory)
{
    static float h_table[16383];
    for (int i = 0; i < 16383; i++) h_table[i] = (float)i;
    int h_last = 5;
    CHECK(cudaMemcpyToSymbol(c_table, h_table, sizeof h_table));
    CHECK(cudaMemcpyToSymbol(c_last, &h_last, sizeof h_last));
    float *d_out = NULL, h_out = 0;
    CHECK(cudaMalloc((void **)&d_out, sizeof h_out));
    sum_ends<<<1, 1>>>(d_out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    if (h_out != 16387.0f) failures++;
    CHECK(cudaFree(d_out));
}
