// The host's copy of the result is never freed.
#include "../../kernels.h"

#include <cstdlib>

int main(void)
{
    const int n = 1000;
    int *h_out = (int *)malloc(n * sizeof(int)), *d_out = NULL;  // BUG
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    fill<<<4, 256>>>(d_out, n, 6);
    CHECK(cudaMemcpy(h_out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != i + 6) failures++;
    CHECK(cudaFree(d_out));
    return failures != 0;
}
