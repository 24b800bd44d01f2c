// expect: shared-race
// A fast thread refills the tile while a slow one still reads the old contents.
#include "../../check.h"

#define T 64

__global__ void mirrored_sum(const float *in, float *out, int tiles)
{
    __shared__ float tile[T];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < tiles; k++) {
        tile[t] = in[k * T + t];  // BUG (other side)
        __syncthreads();
        sum += tile[T - 1 - t];  // BUG
    }
    out[t] = sum;
}

int main(void)
{
    const int tiles = 5, n = tiles * T;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, T * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, T * sizeof(float)));
    mirrored_sum<<<1, T>>>(d_in, d_out, tiles);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static float h_out[T];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < T; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
