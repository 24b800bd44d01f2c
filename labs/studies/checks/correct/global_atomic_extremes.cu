// Smallest and largest pixel through atomics from all blocks.
#include "../check.h"

__global__ void extremes(const int *in, int *range, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMin(&range[0], in[i]);
    atomicMax(&range[1], in[i]);
}

int main(void)
{
    const int n = 333;
    int *d_in = DEVICE_ARRAY(int, n, (i * 7) % 1000 + 5);
    static int h_range[2];
    for (int i = 0; i < 2; i++) h_range[i] = 500;
    int *d_range = device_copy(h_range);
    extremes<<<4, 96>>>(d_in, d_range, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_range, d_range, sizeof h_range, cudaMemcpyDeviceToHost));
    if (h_range[0] != 5 || h_range[1] != 1000) failures++;
    return finish();
}
