// expect: nothing
// Blocks without work leave before the barrier, with all their threads.
#include "../check.h"

__global__ void reverse_marked(const int *in, const int *marked, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (!marked[blockIdx.x]) return;
    s[t] = in[i];
    __syncthreads();
    out[i] = s[63 - t];
}

int main(void)
{
    const int n = 6 * 64;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 64;
    int *d_in = device_copy(h_in);
    static int h_marked[6];
    for (int i = 0; i < 6; i++) h_marked[i] = i % 3 == 0;
    int *d_marked = device_copy(h_marked);
    int *d_out = device_zeros<int>(n);
    reverse_marked<<<6, 64>>>(d_in, d_marked, d_out);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != (i / 64 % 3 == 0 ? 63 - i % 64 : 0)) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_marked));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
