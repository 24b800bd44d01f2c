#include "../kernels.h"

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

// A host function sums the pinned buffer after its copy, in the order of the stream.
struct work {
    int *values, n;
    long sum;
};

static void CUDART_CB add_up(cudaStream_t, cudaError_t status, void *data)
{
    work *w = (work *)data;
    for (int i = 0; status == cudaSuccess && i < w->n; i++) w->sum += w->values[i];
}

PROGRAM(async_callback_uses_the_copy)
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
}

// A host function in the stream tells the host, by a condition variable, that the result is there.
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

PROGRAM(async_callback_wakes_the_host)
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
}

// The host waits for an event of one stream, which has waited for the other.
PROGRAM(async_event_joins_the_host)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t first = new_stream(), second = new_stream();
    cudaEvent_t ready = new_event();
    cudaEvent_t done;
    CHECK(cudaEventCreate(&done));
    fill<<<4, 256, 0, first>>>(d_data, n, 3);
    CHECK(cudaEventRecord(ready, first));
    CHECK(cudaStreamWaitEvent(second, ready, 0));
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, second));
    CHECK(cudaEventRecord(done, second));
    CHECK(cudaEventSynchronize(done));
    for (int i = 0; i < n; i++)
        if (pinned[i] != 3 + i) failures++;
    fill<<<4, 256, 0, first>>>(d_data, n, 4);
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaEventDestroy(done));
}

// A kernel publishes its result with a fence and a flag, for which the host looks.
__global__ void publish(int *result, volatile int *flag)
{
    *result = 42;
    __threadfence_system();
    *flag = 1;
}

PROGRAM(async_flag_in_mapped_memory)
{
    int *mapped = NULL, *d_view = NULL;
    CHECK(cudaHostAlloc((void **)&mapped, 2 * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&d_view, mapped, 0));
    mapped[0] = mapped[1] = 0;
    publish<<<1, 1>>>(d_view, d_view + 1);
    CHECK(cudaGetLastError());
    volatile int *flag = mapped + 1;
    while (*flag == 0) {
    }
    if (mapped[0] != 42) failures++;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(mapped));
}

// Memory of malloc(), calloc() and realloc() is freed, also by another function.
static int *numbers(int n)
{
    int *p = (int *)calloc(n / 2, sizeof(int));
    return (int *)realloc(p, n * sizeof(int));
}

PROGRAM(async_host_memory_is_freed)
{
    const int n = 1000;
    int *h_data = numbers(n), *d_data = NULL;
    char *name = (char *)malloc(16);
    for (int i = 0; i < n; i++) h_data[i] = i;
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    CHECK(cudaMemcpy(d_data, h_data, n * sizeof(int), cudaMemcpyHostToDevice));
    twice<<<4, 256>>>(d_data, n);
    CHECK(cudaMemcpy(h_data, d_data, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_data[i] != 2 * i) failures++;
    CHECK(cudaFree(d_data));
    free(name);
    free(h_data);
}

// The host fills one half of a pinned buffer while the other half is copied.
PROGRAM(async_host_uses_the_other_half)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    const int half = n / 2 + 1;
    for (int i = 0; i < half; i++) pinned[i] = i;
    CHECK(cudaMemcpyAsync(d_data, pinned, half * sizeof(int), cudaMemcpyHostToDevice, stream));
    for (int i = half; i < n; i++) pinned[i] = i;
    CHECK(cudaMemcpyAsync(d_data + half, pinned + half, (n - half) * sizeof(int), cudaMemcpyHostToDevice,
                          stream));
    long sum = 0;
    for (int i = 0; i < n; i++) sum += pinned[i];
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i++) pinned[i] = -1;
    CHECK(cudaMemcpy(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) sum -= pinned[i];
    if (sum != 0) failures++;
}

// Host and device take turns on managed memory, with a wait between.
PROGRAM(async_managed_takes_turns)
{
    const int n = 1000;
    int *managed = NULL;
    CHECK(cudaMallocManaged((void **)&managed, n * sizeof(int)));
    for (int i = 0; i < n; i++) managed[i] = i;
    for (int round = 0; round < 2; round++) {
        twice<<<4, 256>>>(managed, n);
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < n; i++) managed[i] += 1;
    }
    for (int i = 0; i < n; i++)
        if (managed[i] != 4 * i + 3) failures++;
    CHECK(cudaFree(managed));
}

// The host reads mapped memory after it has waited for the kernel.
PROGRAM(async_mapped_result)
{
    const int n = 1000;
    int *mapped = NULL, *d_view = NULL;
    CHECK(cudaHostAlloc((void **)&mapped, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&d_view, mapped, 0));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < n; i++) mapped[i] = 0;
        fill<<<4, 256>>>(d_view, n, round);
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < n; i++)
            if (mapped[i] != round + i) failures++;
    }
    CHECK(cudaFreeHost(mapped));
}

// A pageable source is copied before the call returns, so it may change or go.
__attribute__((noinline)) static void upload(int *d_data, int n, int from, cudaStream_t stream)
{
    int h_local[500];
    for (int i = 0; i < n; i++) h_local[i] = from + i;
    CHECK(cudaMemcpyAsync(d_data, h_local, n * sizeof(int), cudaMemcpyHostToDevice, stream));
    for (int i = 0; i < n; i++) h_local[i] = -1;
}

PROGRAM(async_pageable_source_is_staged)
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
}

// The host asks until the stream is done, and does other work meanwhile.
PROGRAM(async_polls_a_stream)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    long asked = 0;
    cudaError_t state;
    while ((state = cudaStreamQuery(stream)) == cudaErrorNotReady) asked++;
    CHECK(state);
    for (int i = 0; i < n; i++)
        if (pinned[i] != 3 + i) failures++;
}

// The host asks until the event has happened; what was queued after it may still run.
PROGRAM(async_polls_an_event)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    cudaEvent_t copied = new_event();
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaEventRecord(copied, stream));
    fill<<<4, 256, 0, stream>>>(d_data, n, 4);
    while (cudaEventQuery(copied) == cudaErrorNotReady) {
    }
    for (int i = 0; i < n; i++)
        if (pinned[i] != 3 + i) failures++;
    CHECK(cudaStreamSynchronize(stream));
}

// Memory is registered, copied to and from, waited for, and unregistered.
PROGRAM(async_register_round_trip)
{
    const int n = 1000;
    static int h_data[1000];
    int *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    for (int round = 0; round < 2; round++) {
        CHECK(cudaHostRegister(h_data, sizeof h_data, cudaHostRegisterDefault));
        for (int i = 0; i < n; i++) h_data[i] = i;
        CHECK(cudaMemcpyAsync(d_data, h_data, n * sizeof(int), cudaMemcpyHostToDevice, stream));
        twice<<<4, 256, 0, stream>>>(d_data, n);
        CHECK(cudaMemcpyAsync(h_data, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaHostUnregister(h_data));
        for (int i = 0; i < n; i++)
            if (h_data[i] != 2 * i) failures++;
    }
}

// Two host threads, each with its own stream and its own memory.
static int wrong[2];

static void work_of_a_thread(int number)
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

PROGRAM(async_two_host_threads)
{
    std::thread first(work_of_a_thread, 0), second(work_of_a_thread, 1);
    first.join();
    second.join();
    CHECK(cudaGetLastError());
    failures += wrong[0] + wrong[1];
}
