// The constant changes between two kernels of one stream.
#include "../kernels.h"

__constant__ int c_factor;

__global__ void scale(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= c_factor;
}

int main(void)
{
    const int n = 1000;
    static int h_out[1000];
    int factor = 3;
    cudaStream_t stream = new_stream();
    int *d_data = device_array<int>(n);
    fill<<<4, 256, 0, stream>>>(d_data, n, 0);
    CHECK(cudaMemcpyToSymbolAsync(c_factor, &factor, sizeof factor, 0, cudaMemcpyHostToDevice, stream));
    scale<<<4, 256, 0, stream>>>(d_data, n);
    factor = 5;
    CHECK(cudaMemcpyToSymbolAsync(c_factor, &factor, sizeof factor, 0, cudaMemcpyHostToDevice, stream));
    scale<<<4, 256, 0, stream>>>(d_data, n);
    CHECK(cudaMemcpyAsync(h_out, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i++)
        if (h_out[i] != 15 * i) failures++;
    return finish();
}
