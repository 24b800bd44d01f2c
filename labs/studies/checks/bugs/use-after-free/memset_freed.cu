// expect: use-after-free
// The accumulator is cleared for the next frame although it is gone.
#include <cstdio>
#include <cuda_runtime.h>

static int failures;

static void check(cudaError_t e, int line)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    failures++;
}
#define CHECK(call) check(call, __LINE__)

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
