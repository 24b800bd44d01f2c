// expect: global-race
// __syncthreads waits for one block only; block 0 reads what the other blocks may not have written.
#include "../../check.h"

__global__ void mean(const float *in, float *partial, float *out)
{
    int t = threadIdx.x, n = blockDim.x;
    if (t == 0) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++) sum += in[blockIdx.x * n + k];
        partial[blockIdx.x] = sum;  // BUG (other side)
    }
    __syncthreads();
    if (blockIdx.x == 0 && t == 0) {
        float all = 0.0f;
        for (int b = 0; b < gridDim.x; b++)
            all += partial[b];  // BUG
        *out = all / (n * gridDim.x);
    }
}

int main(void)
{
    const int blocks = 5, n = blocks * 40;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    float *d_partial = NULL;
    CHECK(cudaMalloc((void **)&d_partial, blocks * sizeof(float)));
    CHECK(cudaMemset(d_partial, 0, blocks * sizeof(float)));
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, 1 * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, 1 * sizeof(float)));
    mean<<<blocks, 40>>>(d_in, d_partial, d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static float h_out[1];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < 1; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_partial));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
