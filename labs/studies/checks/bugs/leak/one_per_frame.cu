// expect: leak
// Every frame allocates, only the last allocation is freed.
#include "../../check.h"

__global__ void frame(int *out, int k)
{
    out[threadIdx.x] = k * threadIdx.x;
}

int main(void)
{
    int *d_out = NULL;
    for (int k = 0; k < 5; k++) {
        CHECK(cudaMalloc((void **)&d_out, 64 * sizeof(int)));  // BUG
        frame<<<1, 64>>>(d_out, k);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }
    static int h_out[64];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < 64; i++) sum += h_out[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_out));
    return failures != 0;
}
