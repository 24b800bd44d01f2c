// expect: async-race
// The two halves share one element: the second begins one too early.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *d_in = NULL, *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_in, n * sizeof(int)));
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    CHECK(cudaMemset(d_in, 0, n * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    const int half = n / 2;
    twice<<<2, 256, 0, first>>>(d_in, half);                  // BUG
    twice<<<2, 256, 0, second>>>(d_in + half - 1, half + 1);  // BUG (other side)
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
