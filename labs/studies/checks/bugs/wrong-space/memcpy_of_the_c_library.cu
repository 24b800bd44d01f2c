// expect: wrong-space
// Plain memcpy instead of cudaMemcpy.
#include "../../check.h"
#include <cstring>

__global__ void ramp(int *out)
{
    out[threadIdx.x] = 2 * threadIdx.x;
}

int main(void)
{
    const int n = 40;
    static int h_out[n];
    int *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
    ramp<<<1, n>>>(d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    memcpy(h_out, d_out, sizeof h_out);  // BUG
    printf("%d\n", h_out[n - 1]);
    CHECK(cudaFree(d_out));
    return failures != 0;
}
