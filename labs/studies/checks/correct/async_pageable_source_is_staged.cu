// A pageable source is copied before the call returns, so it may change or go.
#include "../check.h"

__attribute__((noinline)) static void upload(int *d_data, int n, int from, cudaStream_t stream)
{
    int h_local[500];
    for (int i = 0; i < n; i++) h_local[i] = from + i;
    CHECK(cudaMemcpyAsync(d_data, h_local, n * sizeof(int), cudaMemcpyHostToDevice, stream));
    for (int i = 0; i < n; i++) h_local[i] = -1;
}

int main(void)
{
    const int n = 1000;
    static int h_out[1000];
    int *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    upload(d_data, 500, 6, stream);
    upload(d_data + 500, 500, 506, stream);
    CHECK(cudaMemcpyAsync(h_out, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    for (int i = 0; i < n; i++)
        if (h_out[i] != i + 6) failures++;
    CHECK(cudaStreamSynchronize(stream));
    return finish();
}
