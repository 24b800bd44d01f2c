// expect: out-of-bounds
// The apron on the left is read at index -1, in front of the tile.
#include "../../check.h"

__global__ void gradient(const int *in, int *out, int n)
{
    __shared__ int s_row[96];
    int t = threadIdx.x, i = blockIdx.x * 96 + t;
    s_row[t] = i < n ? in[i] : 0;
    __syncthreads();
    int before = s_row[t - 1];  // BUG
    if (i < n) out[i] = s_row[t] - before;
}

int main(void)
{
    const int n = 250;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 17;
    int *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    int *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
    gradient<<<3, 96>>>(d_in, d_out, n);
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
