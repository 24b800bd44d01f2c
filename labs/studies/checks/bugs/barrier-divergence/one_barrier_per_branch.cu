// expect: barrier-divergence
// Both branches have a barrier, but it is not the same one.
#include "../../check.h"

__global__ void both_halves(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = in[t];
        __syncthreads();  // BUG
    } else {
        s[t] = -in[t];
        __syncthreads();  // BUG (other side)
    }
    out[t] = s[127 - t];
}

int main(void)
{
    const int n = 128;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 17;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(n);
    both_halves<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
