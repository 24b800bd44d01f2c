#include "../kernels.h"

#include <cstring>

// cudaStreamQuery() says that the stream is busy, and the program reads all the same.
PROGRAM(asks_once_and_goes_on)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));  // BUG (other side)
    cudaError_t state = cudaStreamQuery(stream);
    if (state != cudaErrorNotReady) CHECK(state);
    int last = pinned[n - 1];  // BUG
    CHECK(cudaStreamSynchronize(stream));
    printf("%d\n", last);
}

// Two copies of columns in two streams: the right part begins one column too early.
PROGRAM(columns_that_overlap)
{
    const int width = 64, height = 32, half = width / 2;
    int *d_image = NULL;
    size_t pitch = 0, row = width * sizeof(int);
    int *pinned = pinned_array<int>(width * height);
    CHECK(cudaMallocPitch((void **)&d_image, &pitch, row, height));
    for (int i = 0; i < width * height; i++) pinned[i] = i;
    cudaStream_t first = new_stream(), second = new_stream();
    CHECK(cudaMemcpy2DAsync(d_image, pitch, pinned, row, half * sizeof(int), height,  // BUG
                            cudaMemcpyHostToDevice, first));
    CHECK(cudaMemcpy2DAsync(d_image + half - 1, pitch, pinned + half - 1, row,  // BUG (other side)
                            (half + 1) * sizeof(int), height, cudaMemcpyHostToDevice, second));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_image));
}

// A copy in another stream changes the constant that a kernel may still read.
__constant__ int c_factor;

__global__ void scale(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = i * c_factor;
}

PROGRAM(constant_changes_under_a_kernel)
{
    const int n = 1000;
    int factor = 3;
    int *pinned = pinned_array<int>(1), *d_data = device_array<int>(n);
    CHECK(cudaMemcpyToSymbol(c_factor, &factor, sizeof factor));
    cudaStream_t first = new_stream(), second = new_stream();
    *pinned = 5;
    scale<<<4, 256, 0, first>>>(d_data, n);  // BUG
    CHECK(cudaMemcpyToSymbolAsync(c_factor, pinned, sizeof(int), 0, cudaMemcpyHostToDevice, second));  // BUG (other side)
    CHECK(cudaDeviceSynchronize());
}

// The copy back is queued in another stream than the kernel, without an event.
PROGRAM(copy_back_in_another_stream)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t first = new_stream(), second = new_stream();
    fill<<<4, 256, 0, first>>>(d_data, n, 3);  // BUG
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, second));  // BUG (other side)
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaStreamSynchronize(second));
    for (int i = 0; i < n; i++)
        if (pinned[i] != 3 + i) failures++;
}

// A copy from device to device in another stream reads what a kernel still writes.
PROGRAM(copy_between_devices_arrays)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    fill<<<4, 256, 0, first>>>(d_in, n, 5);  // BUG
    CHECK(cudaMemcpyAsync(d_out, d_in, n * sizeof(int), cudaMemcpyDeviceToDevice, second));  // BUG (other side)
    CHECK(cudaDeviceSynchronize());
}

// The event is recorded again elsewhere before the consumer waits for it.
PROGRAM(event_recorded_again)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    cudaEvent_t ready = new_event();
    fill<<<4, 256, 0, first>>>(d_in, n, 5);  // BUG
    CHECK(cudaEventRecord(ready, first));
    CHECK(cudaEventRecord(ready, second));
    CHECK(cudaStreamWaitEvent(second, ready, 0));
    add_one<<<4, 256, 0, second>>>(d_in, d_out, n);  // BUG (other side)
    CHECK(cudaGetLastError());
    EXPECT(d_out, n, i + 6);
}

// The two halves share one element: the second begins one too early.
PROGRAM(halves_that_overlap)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    const int half = n / 2;
    twice<<<2, 256, 0, first>>>(d_in, half);                  // BUG
    twice<<<2, 256, 0, second>>>(d_in + half - 1, half + 1);  // BUG (other side)
    CHECK_KERNEL();
}

// The host reads the pinned destination of a copy before it has waited for it.
PROGRAM(host_reads_before_the_copy)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));  // BUG (other side)
    long sum = 0;
    for (int i = 0; i < n; i++) sum += pinned[i];  // BUG
    CHECK(cudaStreamSynchronize(stream));
    if (sum != 3L * n + n * (n - 1L) / 2) failures++;
}

// The host fills the pinned source again while the copy from it may still run.
PROGRAM(host_refills_the_source)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    for (int i = 0; i < n; i++) pinned[i] = i;
    CHECK(cudaMemcpyAsync(d_data, pinned, n * sizeof(int), cudaMemcpyHostToDevice, stream));  // BUG (other side)
    twice<<<4, 256, 0, stream>>>(d_data, n);
    for (int i = 0; i < n; i++) pinned[i] = -1;  // BUG
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i++)
        if (pinned[i] != 2 * i) failures++;
}

// The host waits for one stream and reads what the other copies.
PROGRAM(host_waits_for_the_wrong_stream)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t first = new_stream(), second = new_stream();
    fill<<<4, 256, 0, first>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, first));  // BUG (other side)
    CHECK(cudaStreamSynchronize(second));
    int wrong = 0;
    for (int i = 0; i < n; i++)
        if (pinned[i] != 3 + i) wrong++;  // BUG
    CHECK(cudaStreamSynchronize(first));
    failures += wrong;
}

// memset() of the pinned source, before anything has waited for the copy from it.
PROGRAM(library_call_changes_the_source)
{
    const int n = 1000;
    int *pinned = pinned_array<int>(n), *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    for (int i = 0; i < n; i++) pinned[i] = i;
    CHECK(cudaMemcpyAsync(d_data, pinned, n * sizeof(int), cudaMemcpyHostToDevice, stream));  // BUG
    memset(pinned, 0, n * sizeof(int));  // BUG (other side)
    CHECK(cudaStreamSynchronize(stream));
}

// The host reads managed memory that a kernel, which it has not waited for, writes.
PROGRAM(managed_read_too_early)
{
    const int n = 1000;
    int *managed = NULL;
    CHECK(cudaMallocManaged((void **)&managed, n * sizeof(int)));
    for (int i = 0; i < n; i++) managed[i] = 0;
    fill<<<4, 256>>>(managed, n, 3);  // BUG (other side)
    CHECK(cudaGetLastError());
    int wrong = 0;
    for (int i = 0; i < n; i++)
        if (managed[i] != 3 + i) wrong++;  // BUG
    CHECK(cudaDeviceSynchronize());
    failures += wrong;
    CHECK(cudaFree(managed));
}

// The host changes mapped memory that a kernel, which it has not waited for, reads.
PROGRAM(mapped_input_changes)
{
    const int n = 1000;
    int *mapped = NULL, *d_view = NULL;
    CHECK(cudaHostAlloc((void **)&mapped, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&d_view, mapped, 0));
    int *d_out = device_array<int>(n);
    for (int i = 0; i < n; i++) mapped[i] = i;
    add_one<<<4, 256>>>(d_view, d_out, n);  // BUG (other side)
    CHECK(cudaGetLastError());
    for (int i = 0; i < n; i++) mapped[i] = -i;  // BUG
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(mapped));
}

// The host reads mapped memory that a kernel, which it has not waited for, writes.
PROGRAM(mapped_result_too_early)
{
    const int n = 1000;
    int *mapped = NULL, *d_view = NULL;
    CHECK(cudaHostAlloc((void **)&mapped, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&d_view, mapped, 0));
    for (int i = 0; i < n; i++) mapped[i] = 0;
    fill<<<4, 256>>>(d_view, n, 3);  // BUG (other side)
    CHECK(cudaGetLastError());
    int wrong = 0;
    for (int i = 0; i < n; i++)
        if (mapped[i] != 3 + i) wrong++;  // BUG
    CHECK(cudaDeviceSynchronize());
    failures += wrong;
    CHECK(cudaFreeHost(mapped));
}

// cudaMemcpy() waits for the legacy default stream only, not for a non-blocking one.
PROGRAM(memcpy_and_nonblocking_stream)
{
    const int n = 1000;
    static int h_data[1000];
    int *d_data = device_array<int>(n);
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);                                          // BUG
    CHECK(cudaMemcpy(h_data, d_data, n * sizeof(int), cudaMemcpyDeviceToHost));  // BUG (other side)
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i++)
        if (h_data[i] != 3 + i) failures++;
    CHECK(cudaStreamDestroy(stream));
}

// cudaMemset() goes to the legacy default stream, for which a non-blocking stream does not wait.
PROGRAM(memset_and_nonblocking_stream)
{
    const int n = 1000;
    int *d_data = device_array<int>(n);
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMemset(d_data, 0, n * sizeof(int)));  // BUG
    twice<<<4, 256, 0, stream>>>(d_data, n);        // BUG (other side)
    CHECK_KERNEL();
    CHECK(cudaStreamDestroy(stream));
}

// The per-thread default stream does not wait for a non-blocking stream.
PROGRAM(per_thread_stream_and_nonblocking)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fill<<<4, 256, 0, stream>>>(d_in, n, 5);                      // BUG
    add_one<<<4, 256, 0, cudaStreamPerThread>>>(d_in, d_out, n);  // BUG (other side)
    CHECK_KERNEL();
    CHECK(cudaStreamDestroy(stream));
}

// cudaFreeAsync() in a stream that does not wait for the kernel which uses the memory.
__global__ void fill_pool_memory(int *out, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value + i;  // BUG (other side)
}

PROGRAM(pool_memory_freed_in_another_stream)
{
    const int n = 1000;
    cudaStream_t first = new_stream(), second = new_stream();
    int *d_data = NULL;
    CHECK(cudaMallocAsync((void **)&d_data, n * sizeof(int), first));
    CHECK(cudaStreamSynchronize(first));
    fill_pool_memory<<<4, 256, 0, first>>>(d_data, n, 3);  // BUG
    CHECK(cudaGetLastError());
    CHECK(cudaFreeAsync(d_data, second));  // BUG (other side)
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaStreamSynchronize(second));
}

// Two streams, and no event between the kernel that writes and the one that reads.
PROGRAM(producer_and_consumer)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    fill<<<4, 256, 0, first>>>(d_in, n, 5);            // BUG
    add_one<<<4, 256, 0, second>>>(d_in, d_out, n);    // BUG (other side)
    CHECK_KERNEL();
    EXPECT(d_out, n, i + 6);
}

// Kernels in two streams add to one sum without an atomic function.
__global__ void add(int *sum, int value)
{
    *sum += value;
}

PROGRAM(two_streams_one_sum)
{
    int sum = 0;
    int *d_sum = device_zeros<int>(1);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    add<<<1, 1, 0, first>>>(d_sum, 1);   // BUG
    add<<<1, 1, 0, second>>>(d_sum, 2);  // BUG (other side)
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    if (sum != 3) failures++;
}

// A launch that may overlap the kernel before it reads what that one writes, and never waits.
PROGRAM(dependent_launch_does_not_wait)
{
    const int n = 1000;
    int *d_data = device_array<int>(n), *d_out = device_array<int>(n);
    fill_early<<<4, 256>>>(d_data, n, 3);  // BUG (other side)
    CHECK(cudaLaunchKernelEx(overlapping(4, 256), add_one<int>, d_data, d_out, n));  // BUG
    CHECK(cudaDeviceSynchronize());
}

// It waits, but only after it has read.
__global__ void read_then_wait(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? in[i] : 0;
    cudaGridDependencySynchronize();
    if (i < n) out[i] = value;
}

PROGRAM(dependent_launch_reads_before_it_waits)
{
    const int n = 1000;
    int *d_data = device_zeros<int>(n), *d_out = device_array<int>(n);
    CHECK(cudaDeviceSynchronize());
    fill_early<<<4, 256>>>(d_data, n, 3);  // BUG (other side)
    CHECK(cudaLaunchKernelEx(overlapping(4, 256), read_then_wait, d_data, d_out, n));  // BUG
    CHECK(cudaDeviceSynchronize());
}

// It clears, before it waits, what the kernel before it still reads.
__global__ void add_one_early(const int *in, int *out, int n)
{
    cudaTriggerProgrammaticLaunchCompletion();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}

__global__ void clear_then_wait(int *data, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = 0;
    cudaGridDependencySynchronize();
    if (i < n) out[i]++;
}

PROGRAM(dependent_launch_clears_what_is_still_read)
{
    const int n = 1000;
    int *d_data = device_zeros<int>(n), *d_out = device_array<int>(n);
    CHECK(cudaDeviceSynchronize());
    add_one_early<<<4, 256>>>(d_data, d_out, n);  // BUG (other side)
    CHECK(cudaLaunchKernelEx(overlapping(4, 256), clear_then_wait, d_data, d_out, n));  // BUG
    CHECK(cudaDeviceSynchronize());
}

// One thread of each block waits, and the others do not wait for it.
__global__ void one_thread_waits(const int *in, int *out, int n)
{
    if (threadIdx.x == 0) cudaGridDependencySynchronize();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

PROGRAM(dependent_launch_waits_with_one_thread)
{
    const int n = 1000;
    int *d_data = device_array<int>(n), *d_out = device_array<int>(n);
    fill_early<<<4, 256>>>(d_data, n, 3);  // BUG (other side)
    CHECK(cudaLaunchKernelEx(overlapping(4, 256), one_thread_waits, d_data, d_out, n));  // BUG
    CHECK(cudaDeviceSynchronize());
}

// The kernel in the middle lets the third one begin before it has waited for the first itself.
PROGRAM(dependent_launch_reads_the_kernel_before_the_last)
{
    const int n = 1000;
    int *d_data = device_zeros<int>(n), *d_sum = device_array<int>(n), *d_out = device_array<int>(n);
    CHECK(cudaDeviceSynchronize());
    fill_early<<<4, 256>>>(d_data, n, 3);  // BUG (other side)
    CHECK(cudaLaunchKernelEx(overlapping(4, 256), add_one_behind, d_data, d_sum, n));
    CHECK(cudaLaunchKernelEx(overlapping(4, 256), read_then_wait, d_data, d_out, n));  // BUG
    CHECK(cudaDeviceSynchronize());
}
