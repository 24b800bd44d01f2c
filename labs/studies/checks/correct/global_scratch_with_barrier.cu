// expect: nothing
// A block exchanges values through its part of a global array, with a barrier.
#include "../check.h"

__global__ void reverse_twice(const int *in, int *tmp, int *out)
{
    int t = threadIdx.x, n = blockDim.x, base = blockIdx.x * n;
    tmp[base + t] = in[base + t] + 1;
    __syncthreads();
    int v = tmp[base + n - 1 - t];
    __syncthreads();
    tmp[base + t] = v;
    out[base + t] = tmp[base + t];
}

int main(void)
{
    const int n = 4 * 60;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 60;
    int *d_in = device_copy(h_in);
    int *d_tmp = NULL;
    CHECK(cudaMalloc((void **)&d_tmp, n * sizeof(int)));
    int *d_out = device_zeros<int>(n);
    reverse_twice<<<4, 60>>>(d_in, d_tmp, d_out);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != 60 - i % 60) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_tmp));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
