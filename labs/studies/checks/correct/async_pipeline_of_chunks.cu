// Four streams, each copies its chunks, converts them and copies them back.
#include "../kernels.h"

int main(void)
{
    const int chunk = 250, chunks = 8, streams = 4, n = chunk * chunks;
    cudaStream_t stream[4];
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    for (int i = 0; i < n; i++) pinned[i] = i;
    for (int s = 0; s < streams; s++) CHECK(cudaStreamCreate(&stream[s]));
    for (int c = 0; c < chunks; c++) {
        int *d = d_data + c * chunk, *h = pinned + c * chunk;
        CHECK(cudaMemcpyAsync(d, h, chunk * sizeof(int), cudaMemcpyHostToDevice, stream[c % streams]));
        twice<<<1, 256, 0, stream[c % streams]>>>(d, chunk);
        CHECK(cudaMemcpyAsync(h, d, chunk * sizeof(int), cudaMemcpyDeviceToHost, stream[c % streams]));
    }
    for (int s = 0; s < streams; s++) CHECK(cudaStreamSynchronize(stream[s]));
    for (int i = 0; i < n; i++)
        if (pinned[i] != 2 * i) failures++;
    for (int s = 0; s < streams; s++) CHECK(cudaStreamDestroy(stream[s]));
    return finish();
}
