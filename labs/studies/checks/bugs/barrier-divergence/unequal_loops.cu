// expect: barrier-divergence
// The strided loop over 100 elements runs twice for some threads and once for the others.
#include "../../check.h"

__global__ void rotate(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    for (int i = t; i < 100; i += 64) {
        s[t] = in[i];
        __syncthreads();  // BUG
        out[i] = s[t];
    }
}

int main(void)
{
    const int n = 100;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 17;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(n);
    rotate<<<1, 64>>>(d_in, d_out);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
