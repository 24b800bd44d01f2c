// The output is freed, the input is not.
#include "../../kernels.h"

int main(void)
{
    const int n = 256;
    static float h_in[n];
    float *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));  // BUG
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    float *d_out = device_zeros<float>(n);
    add_one<<<2, 128>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
