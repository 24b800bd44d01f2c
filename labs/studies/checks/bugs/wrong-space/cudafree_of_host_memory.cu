// expect: wrong-space
// cudaFree gets the host's array.
#include "../../check.h"
#include <cstdlib>

__global__ void ramp(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

int main(void)
{
    const int n = 25;
    int *result = (int *)malloc(n * sizeof(int));
    int *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
    ramp<<<1, n>>>(d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(result, d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d\n", result[n - 1]);
    CHECK(cudaFree(result));  // BUG
    free(result);
    CHECK(cudaFree(d_out));
    return failures != 0;
}
