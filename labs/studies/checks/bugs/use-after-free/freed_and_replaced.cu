// The buffer grows: the old one is freed, but the kernel still gets the old pointer.
#include "../../check.h"

__global__ void write_index(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;  // BUG
}

int main(void)
{
    const int small = 100, large = 5000;
    int *d_old = NULL;
    CHECK(cudaMalloc((void **)&d_old, small * sizeof(int)));
    CHECK(cudaMemset(d_old, 0, small * sizeof(int)));
    write_index<<<1, 128>>>(d_old, small);
    CHECK_KERNEL();
    int *d_new = device_zeros<int>(large);
    CHECK(cudaMemcpy(d_new, d_old, small * sizeof(int), cudaMemcpyDeviceToDevice));
    CHECK(cudaFree(d_old));
    write_index<<<1, 128>>>(d_old, small);
    CHECK_KERNEL();
    return finish();
}
