// expect: nothing
// The sign of a float is changed through the last byte of a union.
#include "../check.h"

union bits {
    float value;
    unsigned char bytes[4];
};

__global__ void negate(float *values)
{
    __shared__ bits s_bits[64];
    s_bits[threadIdx.x].value = values[threadIdx.x];
    s_bits[threadIdx.x].bytes[3] ^= 0x80;
    __syncthreads();
    values[threadIdx.x] = s_bits[63 - threadIdx.x].value;
}

int main(void)
{
    static float h_values[64];
    for (int i = 0; i < 64; i++) h_values[i] = (float)(i + 1);
    float *d_values = device_copy(h_values);
    negate<<<1, 64>>>(d_values);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_values, d_values, sizeof h_values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        if (h_values[i] != -(float)(64 - i)) failures++;
    CHECK(cudaFree(d_values));
    return failures != 0;
}
