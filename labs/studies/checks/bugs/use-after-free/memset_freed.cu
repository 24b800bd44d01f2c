// expect: use-after-free
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
    static int h_frame[n];
    for (int i = 0; i < n; i++) h_frame[i] = i % 17;
    int *d_frame = NULL;
    CHECK(cudaMalloc((void **)&d_frame, sizeof h_frame));
    CHECK(cudaMemcpy(d_frame, h_frame, sizeof h_frame, cudaMemcpyHostToDevice));
    int *d_sum = NULL;
    CHECK(cudaMalloc((void **)&d_sum, n * sizeof(int)));
    CHECK(cudaMemset(d_sum, 0, n * sizeof(int)));
    add_frame<<<5, 128>>>(d_frame, d_sum, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_sum));
    CHECK(cudaMemset(d_sum, 0, n * sizeof(int)));  // BUG
    CHECK(cudaFree(d_frame));
    return failures != 0;
}
