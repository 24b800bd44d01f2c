// expect: global-race
// Each pixel needs its left neighbour's result, which another thread computes in the same launch.
#include "../../check.h"

__global__ void integrate(const int *in, int *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < 1 || x >= w || y >= h) return;
    int before = out[y * w + x - 1];  // BUG
    out[y * w + x] = before + in[y * w + x];  // BUG (other side)
}

int main(void)
{
    const int w = 70, h = 6, n = w * h;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 17;
    int *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    int *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
    integrate<<<dim3(3, h), 24>>>(d_in, d_out, w, h);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
