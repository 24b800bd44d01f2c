// A lock of all blocks, for one thread of each, then for a whole block: a fence after it is taken
// and one before it is given back.
#include "../check.h"

__device__ int lock, sum;

__device__ void take(void)
{
    while (atomicCAS(&lock, 0, 1) != 0) { }
    __threadfence();
}

__device__ void give_back(void)
{
    __threadfence();
    *(volatile int *)&lock = 0;
}

__global__ void add(int value, int *histogram)
{
    if (threadIdx.x == 0) {
        take();
        sum += value;
        give_back();
        take();
    }
    __syncthreads();
    histogram[threadIdx.x] += value;
    __syncthreads();
    if (threadIdx.x == 0) give_back();
}

__global__ void copy_sum(int *out) { *out = sum; }

int main(void)
{
    int *d_histogram = device_zeros<int>(32), *d_out = device_zeros<int>(1);
    add<<<8, 32>>>(3, d_histogram);
    copy_sum<<<1, 1>>>(d_out);
    CHECK_KERNEL();
    EXPECT(d_histogram, 32, 24);
    EXPECT(d_out, 1, 24);
    return finish();
}
