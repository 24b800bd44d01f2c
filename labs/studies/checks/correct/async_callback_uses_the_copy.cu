// A host function sums the pinned buffer after its copy, in the order of the stream.
#include "../kernels.h"

struct work {
    int *values, n;
    long sum;
};

static void CUDART_CB add_up(cudaStream_t, cudaError_t status, void *data)
{
    work *w = (work *)data;
    for (int i = 0; status == cudaSuccess && i < w->n; i++) w->sum += w->values[i];
}

int main(void)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    work w = {pinned, n, 0};
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamAddCallback(stream, add_up, &w, 0));
    CHECK(cudaStreamSynchronize(stream));
    if (w.sum != 3L * n + n * (n - 1L) / 2) failures++;
    return finish();
}
