// Hillis and Steele with two buffers needs one barrier a step.
#include "../check.h"

__global__ void prefix_sum(const int *in, int *out)
{
    __shared__ int s[2][100];
    int t = threadIdx.x, now = 0;
    s[0][t] = in[t];
    __syncthreads();
    for (int d = 1; d < 100; d *= 2) {
        s[1 - now][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);
        now = 1 - now;
        __syncthreads();
    }
    out[t] = s[now][t];
}

int main(void)
{
    const int n = 100;
    int *d_in = DEVICE_ARRAY(int, n, 2), *d_out = device_zeros<int>(n);
    prefix_sum<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, n, 2 * (i + 1));
    return finish();
}
