// expect: leak
// The function returns early for a dark image and skips its cudaFree.
#include "../../check.h"

__global__ void largest(const int *in, int *out, int n)
{
    int best = 0;
    for (int i = 0; i < n; i++) best = max(best, in[i]);
    *out = best;
}

static int is_dark(const int *d_in, int n)
{
    int *d_best = NULL, best = 0;
    CHECK(cudaMalloc((void **)&d_best, sizeof(int)));  // BUG
    largest<<<1, 1>>>(d_in, d_best, n);
    CHECK(cudaMemcpy(&best, d_best, sizeof best, cudaMemcpyDeviceToHost));
    if (best < 100) return 1;
    CHECK(cudaFree(d_best));
    return 0;
}

int main(void)
{
    const int n = 90;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 17;
    int *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    printf("%d\n", is_dark(d_in, n));
    CHECK(cudaFree(d_in));
    return failures != 0;
}
