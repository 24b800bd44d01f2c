// expect: nothing
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
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = 2;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(3);
    reduce<<<3, 200>>>(d_in, d_out);
    CHECK_KERNEL();
    static int h_out[3];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 3; i++)
        if (h_out[i] != 400) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
