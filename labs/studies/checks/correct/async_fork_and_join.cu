// One stream forks into two by an event, and two events join them again.
#include "../kernels.h"

__global__ void add(const int *a, const int *b, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

int main(void)
{
    const int n = 1000;
    static int h_out[1000];
    int *d[4] = {NULL, NULL, NULL, NULL};
    cudaStream_t stream[3];
    cudaEvent_t forked, joined[2];
    for (int i = 0; i < 4; i++) CHECK(cudaMalloc((void **)&d[i], n * sizeof(int)));
    for (int i = 0; i < 3; i++) CHECK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&forked));
    fill<<<4, 256, 0, stream[0]>>>(d[0], n, 0);
    CHECK(cudaEventRecord(forked, stream[0]));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaEventCreate(&joined[i]));
        CHECK(cudaStreamWaitEvent(stream[1 + i], forked, 0));
        add_one<<<4, 256, 0, stream[1 + i]>>>(d[0], d[1 + i], n);
        CHECK(cudaEventRecord(joined[i], stream[1 + i]));
        CHECK(cudaStreamWaitEvent(stream[0], joined[i], 0));
    }
    add<<<4, 256, 0, stream[0]>>>(d[1], d[2], d[3], n);
    CHECK(cudaStreamSynchronize(stream[0]));
    CHECK(cudaMemcpy(h_out, d[3], n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != 2 * (i + 1)) failures++;
    for (int i = 0; i < 3; i++) CHECK(cudaStreamDestroy(stream[i]));
    for (int i = 0; i < 2; i++) CHECK(cudaEventDestroy(joined[i]));
    CHECK(cudaEventDestroy(forked));
    for (int i = 0; i < 4; i++) CHECK(cudaFree(d[i]));
    return failures != 0;
}
