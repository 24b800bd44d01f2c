// expect: shared-race
// __syncwarp orders one warp; the value comes from another one.
#include "../../check.h"

__global__ void reverse(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = in[i];  // BUG (other side)
    __syncwarp();
    out[i] = s[127 - t];  // BUG
}

int main(void)
{
    const int n = 256;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 17;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(n);
    reverse<<<2, 128>>>(d_in, d_out);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
