// expect: async-race
// Two streams, and no event between the kernel that writes and the one that reads.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    static int h_out[1000];
    int *d_in = NULL, *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_in, n * sizeof(int)));
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    CHECK(cudaMemset(d_in, 0, n * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    fill<<<4, 256, 0, first>>>(d_in, n, 5);            // BUG
    add_one<<<4, 256, 0, second>>>(d_in, d_out, n);    // BUG (other side)
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h_out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != i + 6) failures++;
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
