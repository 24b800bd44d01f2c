// Each block waits for the flag of the one before it: volatile flags, and fences around them.
#include "../check.h"

#define BLOCKS 16

__device__ volatile int flags[BLOCKS], sums[BLOCKS];

__global__ void look_back(int *before)
{
    if (threadIdx.x != 0) return;
    int b = blockIdx.x, sum = 0;
    if (b > 0) {
        while (flags[b - 1] == 0) {
        }
        __threadfence();
        sum = sums[b - 1];
    }
    sums[b] = sum + b;
    __threadfence();
    flags[b] = 1;
    before[b] = sum;
}

int main(void)
{
    int *d_before = device_array<int>(BLOCKS);
    look_back<<<BLOCKS, 32>>>(d_before);
    CHECK_KERNEL();
    int h_before[BLOCKS];
    CHECK(cudaMemcpy(h_before, d_before, sizeof h_before, cudaMemcpyDeviceToHost));
    for (int b = 0; b < BLOCKS; b++)
        if (h_before[b] != b * (b - 1) / 2) failures++;
    return finish();
}
