// The first request is too large on purpose; the program reads the error and asks for less.
#include "../check.h"

__global__ void fill(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 7;
}

int main(void)
{
    const int n = 100;
    int *d_out = NULL;
    cudaError_t err = cudaMalloc((void **)&d_out, (size_t)1 << 50);
    if (err == cudaSuccess) {
        failures++;
    } else {
        cudaGetLastError();  // forget it
        CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    }
    fill<<<1, 128>>>(d_out, n);
    CHECK_KERNEL();
    EXPECT(d_out, n, 7);
    CHECK(cudaFree(d_out));
    return failures != 0;
}
