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
    int *d_in = DEVICE_ARRAY(int, n, i % T), *d_out = device_zeros<int>(T);
    shifted_sum<<<1, T>>>(d_in, d_out, tiles);
    CHECK_KERNEL();
    EXPECT(d_out, T, tiles * ((i + 1) % T));
    return finish();
}
