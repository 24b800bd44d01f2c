// Two host threads, each with its own stream and its own memory.
#include "../kernels.h"

#include <thread>

static int wrong[2];

static void work(int number)
{
    const int n = 1000;
    int *d_data = NULL, *pinned = NULL;
    cudaStream_t stream;
    bool good = cudaStreamCreate(&stream) == cudaSuccess &&
                cudaMalloc((void **)&d_data, n * sizeof(int)) == cudaSuccess &&
                cudaMallocHost((void **)&pinned, n * sizeof(int)) == cudaSuccess;
    for (int round = 0; good && round < 10; round++) {
        fill<<<4, 256, 0, stream>>>(d_data, n, number + round);
        good = cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream) ==
                   cudaSuccess &&
               cudaStreamSynchronize(stream) == cudaSuccess;
        for (int i = 0; i < n; i++)
            if (pinned[i] != number + round + i) wrong[number]++;
    }
    if (!good || cudaFree(d_data) != cudaSuccess || cudaFreeHost(pinned) != cudaSuccess ||
        cudaStreamDestroy(stream) != cudaSuccess)
        wrong[number]++;
}

int main(void)
{
    std::thread first(work, 0), second(work, 1);
    first.join();
    second.join();
    CHECK(cudaGetLastError());
    return failures + wrong[0] + wrong[1] != 0;
}
