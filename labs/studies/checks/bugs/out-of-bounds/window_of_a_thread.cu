// expect: out-of-bounds
// A thread collects its window in an array with room for a smaller one; and the fifth column of its
// table of four is the first of the next row.
#include "../../check.h"

template <int ROOM>
__global__ void largest(const float *in, float *out, int n, int radius, int columns)
{
    float window[ROOM], table[3][4];
    int i = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
    if (i >= n) return;
    for (int k = -radius; k <= radius; k++)
        window[count++] = in[min(max(i + k, 0), n - 1)];  // BUG
    float most = window[0];
    for (int k = 0; k < 12; k++)
        table[k / 4][k % 4] = window[k % ROOM];
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < columns; x++)
            most = max(most, table[y][x]);  // BUG
    out[i] = most;
}

int main(void)
{
    const int n = 100;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    largest<5><<<2, 64>>>(d_in, d_out, n, 3, 5);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
