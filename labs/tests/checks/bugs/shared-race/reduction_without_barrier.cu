// expect: shared-race
// A tree reduction whose levels are not separated.
#include "../../check.h"

__global__ void reduce(const float *in, float *out)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];  // BUG
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

int main(void)
{
    const int n = 512;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, 2 * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, 2 * sizeof(float)));
    reduce<<<2, 256>>>(d_in, d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static float h_out[2];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < 2; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
