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
    int *d_out = device_zeros<int>(1);
    largest<<<1, 1>>>(d_votes, d_out, n);
    CHECK_KERNEL();
    static int h_out[1];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_votes));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
