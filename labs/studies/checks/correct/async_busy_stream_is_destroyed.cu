// expect: nothing
// A stream is destroyed while it is busy: its work still ends.
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

__global__ void fill(int *out, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value + i;
}

int main(void)
{
    const int n = 1000;
    static int h_out[1000];
    int *d_data = NULL;
    cudaStream_t stream;
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    fill<<<4, 256, 0, stream>>>(d_data, n, 6);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaMemcpy(h_out, d_data, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != i + 6) failures++;
    CHECK(cudaFree(d_data));
    return failures != 0;
}
