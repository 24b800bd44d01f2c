// expect: shared-race
// All threads add to one shared variable without an atomic.
#include "../../check.h"

__global__ void total(const int *in, int *out)
{
    __shared__ int s_sum;
    if (threadIdx.x == 0) s_sum = 0;
    __syncthreads();
    s_sum += in[blockIdx.x * blockDim.x + threadIdx.x];  // BUG
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = s_sum;
}

int main(void)
{
    const int n = 4 * 75;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = 1 + i;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(4);
    total<<<4, 75>>>(d_in, d_out);
    CHECK_KERNEL();
    static int h_out[4];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
