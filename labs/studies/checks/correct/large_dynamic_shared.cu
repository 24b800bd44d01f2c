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
    int *d_in = DEVICE_ARRAY(int, n, i), *d_out = device_zeros<int>(n);
    CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    reverse<<<1, 256, bytes>>>(d_in, d_out, n);
    CHECK_KERNEL();
    EXPECT(d_out, n, n - 1 - i);
    return finish();
}
