// expect: shared-race
// The unrolled last warp of old reduction tutorials: volatile, but no __syncwarp in between.
#include "../../check.h"

__global__ void reduce64(const float *in, float *out)
{
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32) {
        for (int d = 32; d > 0; d /= 2)
            s[t] = s[t] + s[t + d];  // BUG
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

int main(void)
{
    const int n = 128;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(2);
    reduce64<<<2, 64>>>(d_in, d_out);
    CHECK_KERNEL();
    static float h_out[2];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
