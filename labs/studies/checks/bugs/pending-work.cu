#include "../kernels.h"

#include <cstdlib>

// The program ends without waiting for its host function.
static void report(void *text)
{
    printf("%s\n", (const char *)text);
}

PROGRAM(callback_nobody_waits_for)
{
    cudaStream_t stream = new_stream();
    CHECK(cudaLaunchHostFunc(stream, report, (void *)"all done"));  // BUG
}

// main() returns, and nothing has waited for the kernel.
__global__ void hello(void)
{
    printf("hello from thread %d\n", threadIdx.x);
}

PROGRAM(ends_before_the_kernel)
{
    hello<<<1, 4>>>();  // BUG
    CHECK(cudaGetLastError());
}

// The event was recorded before the last kernel, so waiting for it does not cover that.
PROGRAM(event_does_not_join)
{
    cudaEvent_t done;
    CHECK(cudaEventCreate(&done));
    fill_table<<<4, 256>>>(1);
    CHECK(cudaEventRecord(done));
    fill_table<<<4, 256>>>(2);  // BUG
    CHECK(cudaGetLastError());
    CHECK(cudaEventSynchronize(done));
    CHECK(cudaEventDestroy(done));
}

// The last operation of the program is a fill that nothing waits for.
__device__ int d_flags[64];

PROGRAM(fill_that_nothing_waits_for)
{
    void *at = NULL;
    cudaStream_t stream = new_stream();
    CHECK(cudaGetSymbolAddress(&at, d_flags));
    CHECK(cudaMemsetAsync(at, 1, sizeof d_flags, stream));  // BUG
}

// A local array is registered and copied, and its function returns before the copy.
__attribute__((noinline)) static void upload(int *d_data, int n, cudaStream_t stream)
{
    int h_local[1000];
    for (int i = 0; i < n; i++) h_local[i] = i;
    CHECK(cudaHostRegister(h_local, sizeof h_local, cudaHostRegisterDefault));  // BUG (other side)
    CHECK(cudaMemcpyAsync(d_data, h_local, n * sizeof(int), cudaMemcpyHostToDevice, stream));  // BUG
}

PROGRAM(local_array_is_gone)
{
    const int n = 1000;
    int *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    upload(d_data, n, stream);
    CHECK(cudaStreamSynchronize(stream));
}

// The mapped buffer is freed while a kernel may still write it.
PROGRAM(mapped_freed_too_early)
{
    const int n = 1000;
    int *mapped = NULL, *d_view = NULL;
    CHECK(cudaHostAlloc((void **)&mapped, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&d_view, mapped, 0));
    fill<<<4, 256>>>(d_view, n, 3);  // BUG (other side)
    CHECK(cudaGetLastError());
    CHECK(cudaFreeHost(mapped));  // BUG
    CHECK(cudaDeviceSynchronize());
}

// The program waits for one of its two streams.
PROGRAM(one_stream_is_forgotten)
{
    cudaStream_t first = new_stream(), second = new_stream();
    fill_table<<<2, 256, 0, first>>>(1);
    CHECK(cudaStreamSynchronize(first));
    fill_table<<<4, 256, 0, second>>>(2);  // BUG
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(first));
}

// The pinned buffer is freed while the copy from it may still run.
PROGRAM(pinned_freed_too_early)
{
    const int n = 1000;
    int *pinned = NULL;
    CHECK(cudaMallocHost((void **)&pinned, n * sizeof(int)));
    int *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    for (int i = 0; i < n; i++) pinned[i] = i;
    CHECK(cudaMemcpyAsync(d_data, pinned, n * sizeof(int), cudaMemcpyHostToDevice, stream));  // BUG (other side)
    CHECK(cudaFreeHost(pinned));  // BUG
    twice<<<4, 256, 0, stream>>>(d_data, n);
    CHECK(cudaStreamSynchronize(stream));
}

// Registered memory is freed, still registered, while the copy to it is pending.
PROGRAM(registered_memory_freed_too_early)
{
    const int n = 1000;
    int *h_data = (int *)malloc(n * sizeof(int)), *d_data = NULL;
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    cudaStream_t stream = new_stream();
    CHECK(cudaHostRegister(h_data, n * sizeof(int), cudaHostRegisterDefault));  // BUG (other side)
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(h_data, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));  // BUG (other side)
    free(h_data);  // BUG
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFree(d_data));
}

// The memory is unregistered before the copy to it has been waited for.
PROGRAM(unregistered_too_early)
{
    const int n = 1000;
    static int h_data[1000];
    int *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    CHECK(cudaHostRegister(h_data, sizeof h_data, cudaHostRegisterDefault));
    fill<<<4, 256, 0, stream>>>(d_data, n, 3);
    CHECK(cudaMemcpyAsync(h_data, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));  // BUG (other side)
    CHECK(cudaHostUnregister(h_data));  // BUG
    CHECK(cudaStreamSynchronize(stream));
}
