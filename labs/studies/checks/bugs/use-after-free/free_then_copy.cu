// The result is freed first and copied back afterwards.
#include "../../kernels.h"

int main(void)
{
    const int n = 500;
    int *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
    fill<<<5, 100>>>(d_out, n, 1);
    CHECK_KERNEL();
    CHECK(cudaFree(d_out));
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));  // BUG
    printf("%d\n", h_out[n - 1]);
    return failures != 0;
}
