// expect: uninitialised-read
// cudaMemset counts bytes: only the first quarter of the integers is cleared.
#include "../../check.h"

__global__ void largest(const int *votes, int *out, int n)
{
    int best = 0;
    for (int i = 0; i < n; i++)
        best = max(best, votes[i]);  // BUG
    out[0] = best;
}

int main(void)
{
    const int n = 128;
    int *d_votes = NULL;
    CHECK(cudaMalloc((void **)&d_votes, n * sizeof(int)));
    CHECK(cudaMemset(d_votes, 0, n));
    int *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, 1 * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, 1 * sizeof(int)));
    largest<<<1, 1>>>(d_votes, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static int h_out[1];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < 1; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_votes));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
