// expect: unchecked-error
// A petabyte of scratch memory is refused; the program never learns it.
#include "../../check.h"

__global__ void work(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 1.0f;
}

int main(void)
{
    const int n = 128;
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(float)));
    float *d_scratch = NULL;
    cudaMalloc((void **)&d_scratch, (size_t)1 << 50);  // BUG
    work<<<1, n>>>(d_out, n);
    CHECK(cudaDeviceSynchronize());
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_scratch));
    return failures != 0;
}
