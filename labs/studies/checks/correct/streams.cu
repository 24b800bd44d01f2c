#include "../kernels.h"

// Kernels in two streams add to one sum with an atomic function.
__global__ void add(int *sum, int value)
{
    atomicAdd(sum, value);
}

PROGRAM(async_atomics_in_two_streams)
{
    int sum = 0;
    int *d_sum = device_zeros<int>(1);
    cudaStream_t first = new_stream(), second = new_stream();
    add<<<2, 32, 0, first>>>(d_sum, 1);
    add<<<2, 32, 0, second>>>(d_sum, 2);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    if (sum != 192) failures++;
}

// Kernels in two streams read one array at the same time.
PROGRAM(async_both_streams_read)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    int *d_other = device_array<int>(n);
    fill<<<4, 256>>>(d_in, n, 5);
    add_one<<<4, 256, 0, first>>>(d_in, d_out, n);
    add_one<<<4, 256, 0, second>>>(d_in, d_other, n);
    CHECK(cudaGetLastError());
    EXPECT(d_other, n, i + 6);
}

// A stream is destroyed while it is busy: its work still ends.
PROGRAM(async_busy_stream_is_destroyed)
{
    const int n = 1000;
    cudaStream_t stream;
    int *d_data = device_array<int>(n);
    CHECK(cudaStreamCreate(&stream));
    fill<<<4, 256, 0, stream>>>(d_data, n, 6);
    CHECK(cudaStreamDestroy(stream));
    EXPECT(d_data, n, i + 6);
}

// The constant changes between two kernels of one stream.
__constant__ int c_factor;

__global__ void scale(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= c_factor;
}

PROGRAM(async_constant_in_stream_order)
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
}

// Two streams copy the left and the right columns of one image.
PROGRAM(async_disjoint_columns)
{
    const int width = 64, height = 32, left = 21;
    int *d_image = NULL;
    size_t pitch = 0, row = width * sizeof(int);
    int *pinned = pinned_array<int>(width * height);
    CHECK(cudaMallocPitch((void **)&d_image, &pitch, row, height));
    for (int i = 0; i < width * height; i++) pinned[i] = i;
    cudaStream_t first = new_stream(), second = new_stream();
    CHECK(cudaMemcpy2DAsync(d_image, pitch, pinned, row, left * sizeof(int), height,
                            cudaMemcpyHostToDevice, first));
    CHECK(cudaMemcpy2DAsync(d_image + left, pitch, pinned + left, row, (width - left) * sizeof(int),
                            height, cudaMemcpyHostToDevice, second));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < width * height; i++) pinned[i] = 0;
    CHECK(cudaMemcpy2D(pinned, row, d_image, pitch, row, height, cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++)
        if (pinned[i] != i) failures++;
    CHECK(cudaFree(d_image));
}

// Waiting for an event that was never recorded does nothing.
PROGRAM(async_event_never_recorded)
{
    cudaEvent_t event;
    cudaStream_t stream = new_stream();
    CHECK(cudaEventCreate(&event));
    CHECK(cudaStreamWaitEvent(stream, event, 0));
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaEventQuery(event));
    fill_table<<<4, 256, 0, stream>>>(1);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventDestroy(event));
}

// The consumer's stream waits for an event of the producer's.
PROGRAM(async_event_orders_streams)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    cudaEvent_t ready = new_event();
    fill<<<4, 256, 0, first>>>(d_in, n, 5);
    CHECK(cudaEventRecord(ready, first));
    CHECK(cudaStreamWaitEvent(second, ready, 0));
    add_one<<<4, 256, 0, second>>>(d_in, d_out, n);
    CHECK(cudaGetLastError());
    EXPECT(d_out, n, i + 6);
}

// One event is recorded again in each round; each wait is for its latest record.
PROGRAM(async_event_recorded_each_round)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    cudaEvent_t ready = new_event();
    for (int round = 0; round < 4; round++) {
        fill<<<4, 256, 0, first>>>(d_in, n, round + 2);
        CHECK(cudaEventRecord(ready, first));
        CHECK(cudaStreamWaitEvent(second, ready, 0));
        add_one<<<4, 256, 0, second>>>(d_in, d_out, n);
        CHECK(cudaEventRecord(ready, second));
        CHECK(cudaStreamWaitEvent(first, ready, 0));
    }
    CHECK(cudaStreamSynchronize(first));
    EXPECT(d_out, n, i + 6);
}

// One stream forks into two by an event, and two events join them again.
__global__ void sum_of_two(const int *a, const int *b, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

PROGRAM(async_fork_and_join)
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
    sum_of_two<<<4, 256, 0, stream[0]>>>(d[1], d[2], d[3], n);
    CHECK(cudaStreamSynchronize(stream[0]));
    CHECK(cudaMemcpy(h_out, d[3], n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != 2 * (i + 1)) failures++;
    for (int i = 0; i < 3; i++) CHECK(cudaStreamDestroy(stream[i]));
    for (int i = 0; i < 2; i++) CHECK(cudaEventDestroy(joined[i]));
    CHECK(cudaEventDestroy(forked));
    for (int i = 0; i < 4; i++) CHECK(cudaFree(d[i]));
}

// A kernel in the default stream waits for both blocking streams, and they for it.
PROGRAM(async_legacy_stream_joins)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    fill<<<2, 256, 0, first>>>(d_in, n / 2, 5);
    fill<<<2, 256, 0, second>>>(d_in + n / 2, n / 2, 5 + n / 2);
    add_one<<<4, 256>>>(d_in, d_out, n);
    twice<<<2, 256, 0, first>>>(d_out, n / 2);
    twice<<<2, 256, 0, second>>>(d_out + n / 2, n / 2);
    EXPECT(d_out, n, 2 * (i + 6));
}

// More launches than a queue holds; two events time them.
__global__ void count(int *sum)
{
    *sum += 1;
}

PROGRAM(async_many_small_launches)
{
    int sum = 0;
    float ms = -1;
    cudaEvent_t start, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    int *d_sum = device_array<int>(1);
    CHECK(cudaMemsetAsync(d_sum, 0, sizeof(int)));
    CHECK(cudaEventRecord(start));
    for (int i = 0; i < 3000; i++) count<<<1, 1>>>(d_sum);
    CHECK(cudaEventRecord(end));
    cudaError_t early = cudaEventElapsedTime(&ms, start, end);
    if (early != cudaErrorNotReady) CHECK(early);
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, start, end));
    if (ms <= 0) failures++;
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    if (sum != 3000) failures++;
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
}

// A non-blocking stream waits for an event of the default stream.
PROGRAM(async_nonblocking_with_event)
{
    const int n = 1000;
    int h_last = -1;
    cudaStream_t stream;
    int *d_data = device_array<int>(n);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cudaEvent_t ready = new_event();
    CHECK(cudaMemset(d_data, 0, n * sizeof(int)));
    CHECK(cudaEventRecord(ready, 0));
    CHECK(cudaStreamWaitEvent(stream, ready, 0));
    twice<<<4, 256, 0, stream>>>(d_data, n);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&h_last, d_data + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
    if (h_last != 0) failures++;
    CHECK(cudaStreamDestroy(stream));
}

// The per-thread default stream is a blocking stream: cudaMemcpy() waits for it.
PROGRAM(async_per_thread_stream)
{
    const int n = 1000;
    int *d_data = device_array<int>(n);
    fill<<<4, 256, 0, cudaStreamPerThread>>>(d_data, n, 6);
    EXPECT(d_data, n, i + 6);
}

// Memory of the stream-ordered allocator lives and ends in the order of its stream.
PROGRAM(async_pool_memory)
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
}

// cudaDeviceReset() ends the work that is queued, and the streams and events of the program.
PROGRAM(async_reset_ends_all)
{
    cudaStream_t stream;
    cudaEvent_t event;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&event));
    fill_table<<<4, 256, 0, stream>>>(1);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceReset());
}

// The first kernel lets the second begin and goes on writing; the second loads what nobody writes,
// waits, and only then reads.
__global__ void scale_behind(const int *in, const int *factors, int *out, int n)
{
    __shared__ int s_factors[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s_factors[threadIdx.x] = i < n ? factors[i] : 0;
    cudaGridDependencySynchronize();
    if (i < n) out[i] = in[i] * s_factors[threadIdx.x];
}

PROGRAM(async_dependent_launch_prefetches)
{
    const int n = 1000;
    int *d_data = device_array<int>(n), *d_factors = device_array<int>(n), *d_out = device_array<int>(n);
    fill<<<4, 256>>>(d_factors, n, 1);
    CHECK(cudaDeviceSynchronize());
    fill_early<<<4, 256>>>(d_data, n, 1);
    CHECK(cudaLaunchKernelEx(overlapping(4, 256), scale_behind, d_data, d_factors, d_out, n));
    EXPECT(d_out, n, (i + 1) * (i + 1));
}

// One thread of each block waits, and the others wait for it at a barrier.
__global__ void block_waits(const int *in, int *out, int n)
{
    if (threadIdx.x == 0) cudaGridDependencySynchronize();
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 2;
}

PROGRAM(async_dependent_launch_waits_with_one_thread)
{
    const int n = 1000;
    int *d_data = device_array<int>(n), *d_out = device_array<int>(n);
    fill_early<<<4, 256>>>(d_data, n, 1);
    CHECK(cudaLaunchKernelEx(overlapping(4, 256), block_waits, d_data, d_out, n));
    EXPECT(d_out, n, (i + 1) * 2);
}

// Three kernels that each wait: the third writes where the first has read, and reads what it wrote.
__global__ void sum_behind(const int *a, const int *b, int *out, int n)
{
    cudaGridDependencySynchronize();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] += a[i] + b[i];
}

PROGRAM(async_dependent_launches_in_a_chain)
{
    const int n = 1000;
    int *d_data = device_array<int>(n), *d_sum = device_array<int>(n), *d_out = device_zeros<int>(n);
    fill_early<<<4, 256>>>(d_data, n, 5);
    CHECK(cudaLaunchKernelEx(overlapping(4, 256), add_one_behind, d_data, d_sum, n));
    CHECK(cudaLaunchKernelEx(overlapping(4, 256), sum_behind, d_data, d_sum, d_out, n));
    CHECK(cudaLaunchKernelEx(overlapping(4, 256), add_one_behind, d_out, d_data, n));
    EXPECT(d_data, n, 2 * i + 12);
}

// The kernel in the middle waits before it lets the third begin: that one may read, before it waits,
// what the first has written.
__global__ void wait_then_let_go(const int *in, int *out, int n)
{
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}

PROGRAM(async_dependent_launch_reads_the_kernel_before_the_last)
{
    const int n = 1000;
    int *d_data = device_array<int>(n), *d_sum = device_array<int>(n), *d_out = device_array<int>(n);
    fill_early<<<4, 256>>>(d_data, n, 1);
    CHECK(cudaLaunchKernelEx(overlapping(4, 256), wait_then_let_go, d_data, d_sum, n));
    CHECK(cudaLaunchKernelEx(overlapping(4, 256), scale_behind, d_sum, d_data, d_out, n));
    EXPECT(d_out, n, (i + 2) * (i + 1));
}

// A kernel without the attribute follows both: it need not wait, and may.
PROGRAM(async_launch_after_a_dependent_launch)
{
    const int n = 1000;
    int *d_data = device_array<int>(n), *d_sum = device_array<int>(n), *d_out = device_array<int>(n);
    fill_early<<<4, 256>>>(d_data, n, 1);
    CHECK(cudaLaunchKernelEx(overlapping(4, 256), fill_early, d_sum, n, 7));
    add_one<<<4, 256>>>(d_data, d_out, n);
    add_one_behind<<<4, 256>>>(d_sum, d_data, n);
    EXPECT(d_out, n, i + 2);
    EXPECT(d_data, n, i + 8);
}

// An event between the two, or a copy: the launch overlaps neither.
PROGRAM(async_dependent_launch_after_an_event)
{
    const int n = 1000;
    int *d_data = device_array<int>(n), *d_out = device_array<int>(n);
    cudaEvent_t event = new_event();
    fill_early<<<4, 256>>>(d_data, n, 1);
    CHECK(cudaEventRecord(event));
    CHECK(cudaLaunchKernelEx(overlapping(4, 256), add_one<int>, d_data, d_out, n));
    CHECK(cudaMemsetAsync(d_data, 0, n * sizeof(int)));
    CHECK(cudaLaunchKernelEx(overlapping(4, 256), twice<int>, d_out, n));
    EXPECT(d_out, n, 2 * (i + 2));
}
