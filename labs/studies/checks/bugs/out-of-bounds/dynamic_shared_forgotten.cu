// expect: out-of-bounds
// The third launch parameter is missing: the dynamic array has no bytes at all.
#include "../../check.h"

__global__ void reverse_block(const int *in, int *out)
{
    extern __shared__ int s_data[];
    int t = threadIdx.x, n = blockDim.x;
    s_data[t] = in[blockIdx.x * n + t];  // BUG
    __syncthreads();
    out[blockIdx.x * n + t] = s_data[n - 1 - t];
}

int main(void)
{
    const int n = 4 * 50;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 17;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(n);
    reverse_block<<<4, 50>>>(d_in, d_out);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
