// A block that is too large is tried, the error read, and a smaller one launched.
#include "../check.h"

__global__ void fill(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;
}

int main(void)
{
    const int n = 1500;
    int *d_out = device_zeros<int>(n);
    int block = 2048;
    for (;;) {
        fill<<<(n + block - 1) / block, block>>>(d_out, n);
        if (cudaGetLastError() == cudaSuccess) break;
        block /= 2;
    }
    CHECK(cudaDeviceSynchronize());
    if (block != 1024) failures++;
    EXPECT(d_out, n, i);
    return finish();
}
