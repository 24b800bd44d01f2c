// expect: out-of-bounds
// The rows of a thread's own table have 4 columns; the fifth is the first of the next row.
#include "../../check.h"

__global__ void sums(const float *in, float *out, int columns)
{
    float table[3][4];
    int i = threadIdx.x;
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++)
            table[y][x] = in[i + y * 4 + x];
    float sum = 0;
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < columns; x++)
            sum += table[y][x];  // BUG
    out[i] = sum;
}

int main(void)
{
    const int n = 64;
    float *d_in = DEVICE_ARRAY(float, n + 12, i % 17), *d_out = device_zeros<float>(n);
    sums<<<1, n>>>(d_in, d_out, 5);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
