// expect: nothing
// 60 KB of dynamic shared memory, asked for in advance.
#include "../check.h"

__global__ void reverse(const int *in, int *out, int n)
{
    extern __shared__ int s_all[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s_all[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s_all[n - 1 - i];
}

int main(void)
{
    const int n = 15 * 1024, bytes = n * (int)sizeof(int);
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(n);
    CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    reverse<<<1, 256, bytes>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != n - 1 - i) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
