// expect: nothing
// Indices into arrays of a thread that look wrong: all of a table through its first row, an address
// right behind an array, a name that stands for two arrays, a shared table read across its rows.
#include "../check.h"

enum { FIRST, SECOND, BOTH };

struct moments {
    float of[2];
};

__global__ void mixed(const float *in, float *out, int n)
{
    __shared__ float s_table[4][16];
    float table[3][4], values[BOTH];
    int i = threadIdx.x;
    for (int k = 0; k < 12; k++)
        table[0][k] = in[(i + k) % n];
    s_table[i / 16][i % 16] = in[i];
    __syncthreads();
    values[FIRST] = s_table[0][i], values[SECOND] = 0;
    for (const float *p = values, *end = &values[BOTH]; p < end; p++)
        values[SECOND] += *p;
    moments m = {{1, 2}};
    for (int k = 0, rows[3] = {0, 1, 2}; k < 3; k++)
        m.of[k % 2] += table[rows[k]][3];
    if (i & 1) {
        float values[8] = {};
        for (int k = 0; k < 8; k++)
            values[k] = k * table[2][k % 4];
        m.of[0] += values[7];
    }
    out[i] = m.of[0] + m.of[1] + values[SECOND];
}

int main(void)
{
    const int n = 64;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    mixed<<<1, n>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
