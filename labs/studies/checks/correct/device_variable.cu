// A __device__ counter, cleared and read by symbol.
#include "../check.h"

__device__ int d_count;

__global__ void count_odd(const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 2) atomicAdd(&d_count, 1);
}

int main(void)
{
    const int n = 500;
    int count = 0;
    int *d_in = DEVICE_ARRAY(int, n, i);
    CHECK(cudaMemcpyToSymbol(d_count, &count, sizeof count));
    count_odd<<<4, 128>>>(d_in, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpyFromSymbol(&count, d_count, sizeof count));
    if (count != n / 2) failures++;
    return finish();
}
