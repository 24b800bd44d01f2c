// expect: invalid-launch
// 60 KB of dynamic shared memory without having asked for more than the default 48.
#include "../../check.h"

__global__ void stage(const float *in, float *out, int n)
{
    extern __shared__ float s_data[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s_data[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s_data[n - 1 - i];
}

int main(void)
{
    const int n = 15 * 1024;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(float)));
    stage<<<1, 256, n * sizeof(float)>>>(d_in, d_out, n);  // BUG
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
