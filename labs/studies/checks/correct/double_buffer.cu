// expect: nothing
// The next tile is loaded while this one is read; one barrier a step is enough.
#include "../check.h"

#define T 64

__global__ void shifted_sum(const int *in, int *out, int tiles)
{
    __shared__ int buffer[2][T];
    int t = threadIdx.x, sum = 0;
    buffer[0][t] = in[t];
    __syncthreads();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles) buffer[(k + 1) % 2][t] = in[(k + 1) * T + t];
        sum += buffer[k % 2][(t + 1) % T];
        __syncthreads();
    }
    out[t] = sum;
}

int main(void)
{
    const int tiles = 5, n = tiles * T;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % T;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(T);
    shifted_sum<<<1, T>>>(d_in, d_out, tiles);
    CHECK_KERNEL();
    static int h_out[T];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < T; i++)
        if (h_out[i] != tiles * ((i + 1) % T)) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
