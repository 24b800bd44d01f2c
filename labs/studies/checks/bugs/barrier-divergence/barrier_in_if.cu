// expect: barrier-divergence
// Only the threads that load the apron reach the barrier.
#include "../../check.h"

#define T 64

__global__ void load_apron(const float *in, float *out)
{
    __shared__ float tile[T + 8];
    int t = threadIdx.x;
    tile[t] = in[t];
    if (t < 8) {
        tile[T + t] = in[T + t];
        __syncthreads();  // BUG
    }
    out[t] = tile[t];
}

int main(void)
{
    const int n = T + 8;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = device_copy(h_in);
    float *d_out = device_zeros<float>(T);
    load_apron<<<1, T>>>(d_in, d_out);
    CHECK_KERNEL();
    static float h_out[T];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
