// Registered memory is freed, still registered, while the copy to it is pending.
#include "../../kernels.h"

#include <cstdlib>

int main(void)
{
    const int n = 1000;
    int *h_data = (int *)malloc(n * sizeof(int)), *d_data = NULL;
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    cudaStream_t stream = new_stream();
    CHECK(cudaHostRegister(h_data, n * sizeof(int), cudaHostRegisterDefault));  // BUG (other side)
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(h_data, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));  // BUG (other side)
    free(h_data);  // BUG
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFree(d_data));
    return finish();
}
