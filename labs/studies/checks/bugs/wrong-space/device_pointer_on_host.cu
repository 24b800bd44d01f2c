// expect: wrong-space
// The host reads the result through the device's pointer.
#include "../../check.h"

__global__ void answer(int *out)
{
    *out = 42;
}

int main(void)
{
    int *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, 1 * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, 1 * sizeof(int)));
    answer<<<1, 1>>>(d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%d\n", *d_out);  // BUG
    CHECK(cudaFree(d_out));
    return failures != 0;
}
