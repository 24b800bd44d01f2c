// expect: global-race
// Any block may set the flag, but block 0 also clears it: the order decides.
#include "../../check.h"

__global__ void converged(const float *a, const float *b, int *changed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0)
        *changed = 0;  // BUG (other side)
    __syncthreads();
    if (a[i] != b[i] && threadIdx.x == 3)
        *changed = 1;  // BUG
}

int main(void)
{
    const int n = 4 * 50;
    static float h_a[n];
    for (int i = 0; i < n; i++) h_a[i] = (float)(i);
    float *d_a = NULL;
    CHECK(cudaMalloc((void **)&d_a, sizeof h_a));
    CHECK(cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyHostToDevice));
    static float h_b[n];
    for (int i = 0; i < n; i++) h_b[i] = (float)(i + 1);
    float *d_b = NULL;
    CHECK(cudaMalloc((void **)&d_b, sizeof h_b));
    CHECK(cudaMemcpy(d_b, h_b, sizeof h_b, cudaMemcpyHostToDevice));
    int *d_changed = NULL;
    CHECK(cudaMalloc((void **)&d_changed, 1 * sizeof(int)));
    CHECK(cudaMemset(d_changed, 0, 1 * sizeof(int)));
    converged<<<4, 50>>>(d_a, d_b, d_changed);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static int h_changed[1];
    CHECK(cudaMemcpy(h_changed, d_changed, sizeof h_changed, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < 1; i++) sum += h_changed[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_changed));
    return failures != 0;
}
