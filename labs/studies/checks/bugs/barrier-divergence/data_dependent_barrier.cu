// expect: barrier-divergence
// A while loop with a barrier runs as long as the thread's own pixel is not done.
#include "../../check.h"

__global__ void relax(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x, left = in[t];
    s[t] = 0;
    while (left > 0) {
        s[t] += left;
        left -= 4;
        __syncthreads();  // BUG
    }
    out[t] = s[t];
}

int main(void)
{
    const int n = 64;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 17;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(n);
    relax<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
