// expect: nothing
// One thread stores, a barrier, all read the same word: a broadcast.
#include "../check.h"

__global__ void normalise(const int *in, int *out)
{
    __shared__ int s_base;
    int t = threadIdx.x, first = blockIdx.x * blockDim.x;
    for (int round = 0; round < 2; round++) {
        if (t == 0) s_base = in[first] * round;
        __syncthreads();
        out[first + t] = in[first + t] - s_base;
        __syncthreads();
    }
}

int main(void)
{
    const int n = 4 * 45;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(n);
    normalise<<<4, 45>>>(d_in, d_out);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != i % 45) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
