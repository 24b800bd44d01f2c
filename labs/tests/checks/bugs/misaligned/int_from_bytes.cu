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
    unsigned char *d_file = NULL;
    CHECK(cudaMalloc((void **)&d_file, sizeof h_file));
    CHECK(cudaMemcpy(d_file, h_file, sizeof h_file, cudaMemcpyHostToDevice));
    int *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
    read_counters<<<1, 32>>>(d_file, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_file));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
