// The stream is destroyed, but the buffer that was used on it is not freed.
#include "../../kernels.h"

int main(void)
{
    const int n = 60;
    static int h_out[n];
    cudaStream_t stream;
    int *d_out = NULL;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc((void **)&d_out, sizeof h_out));  // BUG
    ramp<<<1, n, 0, stream>>>(d_out);
    CHECK(cudaMemcpyAsync(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    printf("%d\n", h_out[n - 1]);
    return failures != 0;
}
