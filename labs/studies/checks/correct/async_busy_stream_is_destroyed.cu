// expect: nothing
// A stream is destroyed while it is busy: its work still ends.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    static int h_out[1000];
    int *d_data = NULL;
    cudaStream_t stream;
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    fill<<<4, 256, 0, stream>>>(d_data, n, 6);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaMemcpy(h_out, d_data, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != i + 6) failures++;
    CHECK(cudaFree(d_data));
    return failures != 0;
}
