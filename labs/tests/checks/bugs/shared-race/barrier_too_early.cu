// expect: shared-race
// The barrier stands between the tile's interior and its apron instead of behind both.
#include "../../check.h"

#define T 64
#define R 2

__global__ void blur(const float *in, float *out, int n)
{
    __shared__ float tile[T + 2 * R];
    int t = threadIdx.x, i = blockIdx.x * T + t;
    tile[t + R] = i < n ? in[i] : 0.0f;
    if (t < R) tile[t] = i >= R ? in[i - R] : 0.0f;
    __syncthreads();
    if (t < R) tile[t + T + R] = i + T < n ? in[i + T] : 0.0f;  // BUG (other side)
    float sum = 0.0f;
    for (int k = 0; k <= 2 * R; k++)
        sum += tile[t + k];  // BUG
    if (i < n) out[i] = sum / 5.0f;
}

int main(void)
{
    const int n = 300;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(float)));
    blur<<<5, T>>>(d_in, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
