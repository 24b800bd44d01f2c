// expect: async-race
// Each stream has its own input and output, but both use one scratch array.
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
    int *d_scratch = NULL;
    CHECK(cudaMalloc((void **)&d_scratch, n * sizeof(int)));
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    int *data[2] = {d_in, d_out};
    cudaStream_t stream[2] = {first, second};
    for (int s = 0; s < 2; s++) {
        add_one<<<4, 256, 0, stream[s]>>>(data[s], d_scratch, n);  // BUG
        add_one<<<4, 256, 0, stream[s]>>>(d_scratch, data[s], n);  // BUG (other side)
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_scratch));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
