// The accumulator is cleared for the next frame although it is gone.
#include "../../check.h"

__global__ void add_frame(const int *frame, int *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] += frame[i];
}

int main(void)
{
    const int n = 640;
    int *d_frame = DEVICE_ARRAY(int, n, i % 17);
    int *d_sum = NULL;
    CHECK(cudaMalloc((void **)&d_sum, n * sizeof(int)));
    CHECK(cudaMemset(d_sum, 0, n * sizeof(int)));
    add_frame<<<5, 128>>>(d_frame, d_sum, n);
    CHECK_KERNEL();
    CHECK(cudaFree(d_sum));
    CHECK(cudaMemset(d_sum, 0, n * sizeof(int)));  // BUG
    return finish();
}
