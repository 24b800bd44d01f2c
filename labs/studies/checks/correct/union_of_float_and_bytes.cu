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
    float *d_values = DEVICE_ARRAY(float, 64, i + 1);
    negate<<<1, 64>>>(d_values);
    CHECK_KERNEL();
    EXPECT(d_values, 64, -(float)(64 - i));
    return finish();
}
