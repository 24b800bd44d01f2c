// expect: invalid-launch
// 4 x 2 x 80 threads are few enough, but a block may be only 64 deep.
#include "../../check.h"

__global__ void channels(float *out, int depth)
{
    int c = threadIdx.z;
    if (c < depth) out[(c * 2 + threadIdx.y) * 4 + threadIdx.x] = c;
}

int main(void)
{
    const int depth = 80, n = 8 * depth;
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(float)));
    channels<<<1, dim3(4, 2, depth)>>>(d_out, depth);  // BUG
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_out));
    return failures != 0;
}
