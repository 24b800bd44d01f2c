// expect: shared-race
// The counter is incremented atomically but read plainly, without a barrier in between.
#include "../../check.h"

__global__ void count(const int *in, int *out)
{
    __shared__ int s_count;
    int t = threadIdx.x;
    if (t == 0) s_count = 0;
    __syncthreads();
    if (in[t] > 5) atomicAdd(&s_count, 1);  // BUG (other side)
    if (t == 0) out[0] = s_count;  // BUG
}

int main(void)
{
    const int n = 192;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 17;
    int *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    int *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, 1 * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, 1 * sizeof(int)));
    count<<<1, n>>>(d_in, d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static int h_out[1];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < 1; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
