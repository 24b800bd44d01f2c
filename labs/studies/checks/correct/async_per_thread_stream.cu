// expect: nothing
// The per-thread default stream is a blocking stream: cudaMemcpy() waits for it.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    static int h_out[1000];
    int *d_data = NULL;
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    fill<<<4, 256, 0, cudaStreamPerThread>>>(d_data, n, 6);
    CHECK(cudaMemcpy(h_out, d_data, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != i + 6) failures++;
    CHECK(cudaFree(d_data));
    return failures != 0;
}
