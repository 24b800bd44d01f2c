// expect: nothing
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
    int *pinned = NULL, *d_data = NULL;
    CHECK(cudaMallocHost((void **)&pinned, n * sizeof(int)));
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    work w = {pinned, n, 0};
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamAddCallback(stream, add_up, &w, 0));
    CHECK(cudaStreamSynchronize(stream));
    if (w.sum != 3L * n + n * (n - 1L) / 2) failures++;
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(d_data));
    return failures != 0;
}
