// expect: uninitialised-read
// The output of cudaMalloc is added to without having been cleared.
#include "../../check.h"

__global__ void accumulate(const float *in, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] += in[i];  // BUG
}

int main(void)
{
    const int n = 256;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_sum = NULL;
    CHECK(cudaMalloc((void **)&d_sum, n * sizeof(float)));
    accumulate<<<2, 128>>>(d_in, d_sum, n);
    CHECK_KERNEL();
    static float h_sum[n];
    CHECK(cudaMemcpy(h_sum, d_sum, sizeof h_sum, cudaMemcpyDeviceToHost));
    print_sum(h_sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_sum));
    return failures != 0;
}
