// expect: global-race
// Two threads scatter different pixels to one place.
#include "../../check.h"

__global__ void scatter(const float *in, const int *to, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[to[i]] = in[i];  // BUG
}

int main(void)
{
    const int n = 130;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i);
    float *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    static int h_to[n];
    for (int i = 0; i < n; i++) h_to[i] = i == 101 ? 17 : i;
    int *d_to = NULL;
    CHECK(cudaMalloc((void **)&d_to, sizeof h_to));
    CHECK(cudaMemcpy(d_to, h_to, sizeof h_to, cudaMemcpyHostToDevice));
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(float)));
    scatter<<<2, 65>>>(d_in, d_to, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_to));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
