// The first call's error is kept in a variable and overwritten before anyone looks at it.
#include "../../kernels.h"

int main(void)
{
    int *d_out = NULL, *d_extra = NULL;
    cudaError_t err = cudaMalloc((void **)&d_extra, (size_t)1 << 52);  // BUG
    err = cudaMalloc((void **)&d_out, 40 * sizeof(int));
    if (err != cudaSuccess) return 1;
    ramp<<<1, 40>>>(d_out);
    CHECK(cudaDeviceSynchronize());
    print_sum(d_out, 40);
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_extra));
    return failures != 0;
}
