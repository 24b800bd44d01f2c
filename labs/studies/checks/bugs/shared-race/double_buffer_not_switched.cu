// expect: shared-race
// There are two buffers, but the next tile is loaded into the one that is being read.
#include "../../check.h"

#define T 64

__global__ void shifted_sum(const float *in, float *out, int tiles)
{
    __shared__ float buffer[2][T];
    int t = threadIdx.x, now = 0;
    float sum = 0.0f;
    buffer[0][t] = in[t];
    buffer[1][t] = 0.0f;
    __syncthreads();
    for (int k = 1; k <= tiles; k++) {
        sum += buffer[now][(t + 1) % T];  // BUG
        if (k < tiles) buffer[now][t] = in[k * T + t];  // BUG (other side)
        __syncthreads();
    }
    out[t] = sum + buffer[1][t];
}

int main(void)
{
    const int tiles = 4, n = tiles * T;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(T);
    shifted_sum<<<1, T>>>(d_in, d_out, tiles);
    CHECK_KERNEL();
    static float h_out[T];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
