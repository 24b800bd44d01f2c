// A host function in the stream tells the host, by a condition variable, that the result is there.
#include "../kernels.h"

#include <condition_variable>
#include <mutex>

struct message {
    std::mutex lock;
    std::condition_variable sent;
    bool is_sent;
};

static void send(void *to)
{
    message *m = (message *)to;
    std::lock_guard<std::mutex> guard(m->lock);
    m->is_sent = true;
    m->sent.notify_all();
}

int main(void)
{
    const int n = 1000;
    static message done;
    int *pinned = NULL, *d_data = NULL;
    CHECK(cudaMallocHost((void **)&pinned, n * sizeof(int)));
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaLaunchHostFunc(stream, send, &done));
    {
        std::unique_lock<std::mutex> guard(done.lock);
        done.sent.wait(guard, [] { return done.is_sent; });
    }
    for (int i = 0; i < n; i++)
        if (pinned[i] != 3 + i) failures++;
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(d_data));
    return failures != 0;
}
