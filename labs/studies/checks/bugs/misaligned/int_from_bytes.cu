// expect: misaligned
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
    static unsigned char h_file[bytes];
    for (int i = 0; i < bytes; i++) h_file[i] = (unsigned char)(i % 17);
    unsigned char *d_file = device_copy(h_file);
    int *d_out = device_zeros<int>(n);
    read_counters<<<1, 32>>>(d_file, d_out, n);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_file));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
