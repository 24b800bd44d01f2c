// The last warp reduces alone, with a __syncwarp between every read and write.
#include "../check.h"

__global__ void reduce64(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32) {
        for (int d = 32; d > 0; d /= 2) {
            int v = s[t] + s[t + d];
            __syncwarp();
            s[t] = v;
            __syncwarp();
        }
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

int main(void)
{
    const int n = 256;
    int *d_in = DEVICE_ARRAY(int, n, 1), *d_out = device_zeros<int>(4);
    reduce64<<<4, 64>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 4, 64);
    return finish();
}
