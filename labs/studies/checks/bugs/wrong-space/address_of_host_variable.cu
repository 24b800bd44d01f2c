// expect: wrong-space
// The kernel stores its count through the address of a variable on the host's stack.
#include "../../check.h"

__global__ void count_large(const int *in, int *count, int n)
{
    int c = 0;
    for (int i = 0; i < n; i++) c += in[i] > 8;
    *count = c;  // BUG
}

int main(void)
{
    const int n = 64;
    int count = 0;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 17;
    int *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    count_large<<<1, 1>>>(d_in, &count, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%d\n", count);
    CHECK(cudaFree(d_in));
    return failures != 0;
}
