// expect: global-race
// Two threads scatter different pixels to one place.
#include "../../check.h"

__global__ void scatter(const float *in, const int *to, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[to[i]] = in[i];  // BUG
}

int main(void)
{
    const int n = 130;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i);
    float *d_in = device_copy(h_in);
    static int h_to[n];
    for (int i = 0; i < n; i++) h_to[i] = i == 101 ? 17 : i;
    int *d_to = device_copy(h_to);
    float *d_out = device_zeros<float>(n);
    scatter<<<2, 65>>>(d_in, d_to, d_out, n);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_to));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
