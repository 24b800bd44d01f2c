// expect: invalid-launch
// Static and dynamic shared memory fit one by one, but not together.
#include "../../check.h"

__global__ void two_tiles(const float *in, float *out)
{
    __shared__ float first[64][96];
    extern __shared__ float second[];
    int t = threadIdx.x;
    for (int k = 0; k < 64; k++) first[k][t] = in[k * 96 + t];
    for (int k = 0; k < 64; k++) second[k * 96 + t] = first[k][t];
    float sum = 0.0f;
    for (int k = 0; k < 64; k++) sum += second[k * 96 + t];
    out[t] = sum;
}

int main(void)
{
    const int n = 64 * 96;
    static float h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (float)(i % 17);
    float *d_in = NULL;
    CHECK(cudaMalloc((void **)&d_in, sizeof h_in));
    CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, 96 * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, 96 * sizeof(float)));
    two_tiles<<<1, 96, 30000>>>(d_in, d_out);  // BUG
    static float h_out[96];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < 96; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
