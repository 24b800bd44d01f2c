// expect: shared-race
// A tile is transposed within itself: the partner's element is overwritten before it is read.
#include "../../check.h"

#define T 16

__global__ void transpose(const float *in, float *out)
{
    __shared__ float tile[T][T];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * T + x];
    __syncthreads();
    float v = tile[x][y];  // BUG
    tile[y][x] = v;  // BUG (other side)
    __syncthreads();
    out[y * T + x] = tile[y][x];
}

int main(void)
{
    const int n = T * T;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(float)));
    transpose<<<1, dim3(T, T)>>>(d_in, d_out);
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
