// expect: out-of-bounds
// The apron on the left is read at index -1, in front of the tile.
#include "../../check.h"

__global__ void gradient(const int *in, int *out, int n)
{
    __shared__ int s_row[96];
    int t = threadIdx.x, i = blockIdx.x * 96 + t;
    s_row[t] = i < n ? in[i] : 0;
    __syncthreads();
    int before = s_row[t - 1];  // BUG
    if (i < n) out[i] = s_row[t] - before;
}

int main(void)
{
    const int n = 250;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 17;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(n);
    gradient<<<3, 96>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
