// A petabyte of scratch memory is refused; the program never learns it.
#include "../../kernels.h"

int main(void)
{
    const int n = 128;
    float *d_out = device_zeros<float>(n);
    float *d_scratch = NULL;
    cudaMalloc((void **)&d_scratch, (size_t)1 << 50);  // BUG
    ramp<<<1, n>>>(d_out);
    CHECK(cudaDeviceSynchronize());
    print_sum(d_out, n);
    CHECK(cudaFree(d_scratch));
    return finish();
}
