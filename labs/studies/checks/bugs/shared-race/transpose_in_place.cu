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
    float *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(n);
    transpose<<<1, dim3(T, T)>>>(d_in, d_out);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
