// expect: invalid-launch
// A grid may have 65535 blocks in y; this image has 70000 rows.
#include "../../check.h"

__global__ void row_start(unsigned char *out, int h)
{
    int y = blockIdx.y;
    if (y < h && threadIdx.x == 0) out[y] = 1;
}

int main(void)
{
    const int h = 70000;
    unsigned char *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, h * sizeof(unsigned char)));
    CHECK(cudaMemset(d_out, 0, h * sizeof(unsigned char)));
    row_start<<<dim3(1, h), 32>>>(d_out, h);  // BUG
    static unsigned char h_out[h];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < h; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_out));
    return failures != 0;
}
