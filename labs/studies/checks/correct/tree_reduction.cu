// The reduction over 200 threads, with its barrier outside the if.
#include "../check.h"

__global__ void reduce(const int *in, int *out)
{
    __shared__ int s[200];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 200 + t];
    for (int live = 200; live > 1;) {
        int half = (live + 1) / 2;
        __syncthreads();
        if (t + half < live) s[t] += s[t + half];
        live = half;
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

int main(void)
{
    const int n = 600;
    int *d_in = DEVICE_ARRAY(int, n, 2), *d_out = device_zeros<int>(3);
    reduce<<<3, 200>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 3, 400);
    return finish();
}
