// memcpy() from any byte on: the device loads single bytes, so nothing is misaligned.
#include "../check.h"

#include <cstring>

__global__ void decode(const unsigned char *bytes, int *values)
{
    int value;
    memcpy(&value, bytes + 1 + 4 * threadIdx.x, sizeof value);
    values[threadIdx.x] = value;
}

int main(void)
{
    unsigned char *d_bytes = DEVICE_ARRAY(unsigned char, 129, (i - 1) % 4 ? 0 : (i - 1) / 4);
    int *d_values = device_array<int>(32);
    decode<<<1, 32>>>(d_bytes, d_values);
    CHECK_KERNEL();
    EXPECT(d_values, 32, i);
    return finish();
}
