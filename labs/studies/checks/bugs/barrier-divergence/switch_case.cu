// expect: barrier-divergence
// The barrier belongs to one case of a switch over the thread's role.
#include "../../check.h"

__global__ void roles(const int *in, int *out)
{
    __shared__ int s[72];
    int t = threadIdx.x;
    s[t] = in[t];
    switch (t % 3) {
    case 0:
        s[t] *= 2;
        break;
    case 1:
        s[t] *= 3;
        __syncthreads();  // BUG
        break;
    default:
        s[t] = 0;
    }
    out[t] = s[t];
}

int main(void)
{
    const int n = 72;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 17;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(n);
    roles<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
