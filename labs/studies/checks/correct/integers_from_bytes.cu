// expect: nothing
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
    static unsigned char h_bytes[129];
    for (int i = 0; i < 129; i++) h_bytes[i] = (unsigned char)((i - 1) % 4 ? 0 : (i - 1) / 4);
    unsigned char *d_bytes = device_copy(h_bytes);
    int *d_values = NULL;
    CHECK(cudaMalloc((void **)&d_values, 32 * sizeof(int)));
    decode<<<1, 32>>>(d_bytes, d_values);
    CHECK_KERNEL();
    int h_values[32];
    CHECK(cudaMemcpy(h_values, d_values, sizeof h_values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        if (h_values[i] != i) failures++;
    CHECK(cudaFree(d_bytes));
    CHECK(cudaFree(d_values));
    return failures != 0;
}
