// expect: nothing
// A kernel in the default stream waits for both blocking streams, and they for it.
#include "../kernels.h"

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
    fill<<<2, 256, 0, first>>>(d_in, n / 2, 5);
    fill<<<2, 256, 0, second>>>(d_in + n / 2, n / 2, 5 + n / 2);
    add_one<<<4, 256>>>(d_in, d_out, n);
    twice<<<2, 256, 0, first>>>(d_out, n / 2);
    twice<<<2, 256, 0, second>>>(d_out + n / 2, n / 2);
    CHECK(cudaMemcpy(h_out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != 2 * (i + 6)) failures++;
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
