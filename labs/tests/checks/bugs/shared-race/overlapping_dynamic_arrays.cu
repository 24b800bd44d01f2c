// expect: shared-race
// The second array in the dynamic buffer starts 8 elements before the end of the first.
#include "../../check.h"

__global__ void two_rows(const int *a, const int *b, int *out)
{
    extern __shared__ int s_buffer[];
    int t = threadIdx.x, n = blockDim.x;
    int *s_a = s_buffer, *s_b = s_buffer + n - 8;
    s_a[t] = a[t];  // BUG (other side)
    s_b[t] = b[t] + 100;  // BUG
    __syncthreads();
    out[t] = s_a[n - 1 - t] + s_b[t];
}

int main(void)
{
    const int n = 80;
    static int h_a[n];
    for (int i = 0; i < n; i++) h_a[i] = i % 17;
    int *d_a = NULL;
    CHECK(cudaMalloc((void **)&d_a, sizeof h_a));
    CHECK(cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyHostToDevice));
    static int h_b[n];
    for (int i = 0; i < n; i++) h_b[i] = i % 17;
    int *d_b = NULL;
    CHECK(cudaMalloc((void **)&d_b, sizeof h_b));
    CHECK(cudaMemcpy(d_b, h_b, sizeof h_b, cudaMemcpyHostToDevice));
    int *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
    two_rows<<<1, n, 2 * n * sizeof(int)>>>(d_a, d_b, d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
