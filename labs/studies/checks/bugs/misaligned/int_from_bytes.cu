// A header of three bytes stands before the 4-byte counters.
#include "../../check.h"

__global__ void read_counters(const unsigned char *file, int *out, int n)
{
    int i = threadIdx.x;
    if (i >= n) return;
    const int *counters = (const int *)(file + 3);
    out[i] = counters[i];  // BUG
}

int main(void)
{
    const int n = 20, bytes = 3 + 4 * n;
    unsigned char *d_file = DEVICE_ARRAY(unsigned char, bytes, i % 17);
    int *d_out = device_zeros<int>(n);
    read_counters<<<1, 32>>>(d_file, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
