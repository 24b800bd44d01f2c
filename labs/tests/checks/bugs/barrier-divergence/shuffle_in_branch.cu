// expect: barrier-divergence
// The mask names 32 lanes, but only the 20 inside the image come to the shuffle.
#include "../../check.h"

__global__ void warp_sum(const float *in, float *out, int n)
{
    int lane = threadIdx.x;
    float v = 1.0f;
    if (lane < n) {
        v = in[lane];
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_xor_sync(0xffffffffu, v, d);  // BUG
    }
    out[lane] = v;
}

int main(void)
{
    const int n = 20;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, 32 * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, 32 * sizeof(float)));
    warp_sum<<<1, 32>>>(d_in, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static float h_out[32];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < 32; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
