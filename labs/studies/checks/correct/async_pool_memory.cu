// Memory of the stream-ordered allocator lives and ends in the order of its stream.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    static int h_out[1000];
    cudaStream_t stream = new_stream();
    for (int round = 0; round < 3; round++) {
        int *d_data = NULL;
        CHECK(cudaMallocAsync((void **)&d_data, n * sizeof(int), stream));
        fill<<<4, 256, 0, stream>>>(d_data, n, round);
        twice<<<4, 256, 0, stream>>>(d_data, n);
        CHECK(cudaMemcpyAsync(h_out, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaFreeAsync(d_data, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < n; i++)
            if (h_out[i] != 2 * (round + i)) failures++;
    }
    return finish();
}
