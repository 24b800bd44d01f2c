// expect: note global-race
// Threads of several blocks report a change: all store 1, and nobody reads it in this launch.
#include "../check.h"

__global__ void compare(const float *a, const float *b, int *changed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] != b[i]) *changed = 1;
}

int main(void)
{
    const int n = 250;
    static float h_a[n];
    for (int i = 0; i < n; i++) h_a[i] = (float)(i);
    float *d_a = NULL;
    CHECK(cudaMalloc((void **)&d_a, sizeof h_a));
    CHECK(cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyHostToDevice));
    static float h_b[n];
    for (int i = 0; i < n; i++) h_b[i] = (float)(i % 100);
    float *d_b = NULL;
    CHECK(cudaMalloc((void **)&d_b, sizeof h_b));
    CHECK(cudaMemcpy(d_b, h_b, sizeof h_b, cudaMemcpyHostToDevice));
    int *d_changed = NULL;
    CHECK(cudaMalloc((void **)&d_changed, 1 * sizeof(int)));
    CHECK(cudaMemset(d_changed, 0, 1 * sizeof(int)));
    compare<<<4, 64>>>(d_a, d_b, d_changed, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static int h_changed[1];
    CHECK(cudaMemcpy(h_changed, d_changed, sizeof h_changed, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1; i++)
        if (h_changed[i] != 1) failures++;
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_changed));
    return failures != 0;
}
