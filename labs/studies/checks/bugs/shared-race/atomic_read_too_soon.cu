// expect: shared-race
// The counter is incremented atomically but read plainly, without a barrier in between.
#include "../../check.h"

__global__ void count(const int *in, int *out)
{
    __shared__ int s_count;
    int t = threadIdx.x;
    if (t == 0) s_count = 0;
    __syncthreads();
    if (in[t] > 5) atomicAdd(&s_count, 1);  // BUG (other side)
    if (t == 0) out[0] = s_count;  // BUG
}

int main(void)
{
    const int n = 192;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 17;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(1);
    count<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    static int h_out[1];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
