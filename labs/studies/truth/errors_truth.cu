// errors_truth.cu - which error each wrong call of the CUDA runtime returns, what the next calls return after it,
// and what cudaGetLastError() says: ground truth for the simulator.
// Build: nvcc -O2 -arch=sm_90 errors_truth.cu -o errors_truth    Run: ./errors_truth > errors_truth.out
// It has no input and prints the same on every run, one question a line: the answer of the call (of cudaGetLastError()
// for a launch), then of cudaPeekAtLastError(), and of the next synchronization.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

static void answer(const char *question, cudaError_t error)
{
    cudaError_t last = cudaPeekAtLastError();
    printf("%s: %d %s", question, error, cudaGetErrorName(error));
    if (last != error) {
        printf(", last %s", cudaGetErrorName(last));
    }
    cudaGetLastError();
    cudaError_t later = cudaDeviceSynchronize();
    if (later != cudaSuccess) {
        printf(", then %s", cudaGetErrorName(later));
    }
    cudaGetLastError();
    printf("\n");
}
// The runtime may dereference what is not there.
static sigjmp_buf before_the_call;
static void crashed(int) { siglongjmp(before_the_call, 1); }
#define ASK(call)                                                                                                      \
    do {                                                                                                               \
        if (sigsetjmp(before_the_call, 1)) {                                                                           \
            printf("%s: segmentation fault\n", #call);                                                                 \
        } else {                                                                                                       \
            answer(#call, call);                                                                                       \
        }                                                                                                              \
    } while (0)
#define LAUNCH(...)                                                                                                    \
    do {                                                                                                               \
        __VA_ARGS__;                                                                                                   \
        answer(#__VA_ARGS__, cudaPeekAtLastError());                                                                   \
    } while (0)

__global__ void empty() {}
__global__ void set(int *p) { p[threadIdx.x] = 1; }
__global__ void __launch_bounds__(64) bounded(int *p) { p[threadIdx.x] = 1; }
__global__ void with_static_memory(int *p)
{
    __shared__ int s[12000];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__constant__ float c_mask[16];
__device__ int d_value;

static void launches()
{
    int *d;
    cudaMalloc(&d, 1 << 20);
    LAUNCH(empty<<<1, 1024>>>());
    LAUNCH(empty<<<1, 1025>>>());
    LAUNCH(empty<<<1, 1280>>>());
    LAUNCH(empty<<<1, dim3(32, 33)>>>());
    LAUNCH(empty<<<1, dim3(1, 1, 64)>>>());
    LAUNCH(empty<<<1, dim3(1, 1, 65)>>>());
    LAUNCH(empty<<<1, dim3(1, 1025, 1)>>>());
    LAUNCH(empty<<<1, dim3(0, 1, 1)>>>());
    LAUNCH(empty<<<1, 0>>>());
    LAUNCH(empty<<<0, 1>>>());
    LAUNCH(empty<<<dim3(1, 0), 1>>>());
    LAUNCH(empty<<<dim3(1, 65535), 1>>>());
    LAUNCH(empty<<<dim3(1, 65536), 1>>>());
    LAUNCH(empty<<<dim3(1, 1, 65536), 1>>>());
    LAUNCH(empty<<<2147483648u, 1>>>());
    LAUNCH(empty<<<(unsigned)-1, 1>>>());
    LAUNCH(empty<<<1, (unsigned)-1>>>());
    LAUNCH(empty<<<0, 2000>>>());
    LAUNCH(empty<<<1, 32, 49152>>>());
    LAUNCH(empty<<<1, 32, 49153>>>());
    LAUNCH(empty<<<1, 32, 300000>>>());
    LAUNCH(empty<<<1, 2000, 300000>>>());
    LAUNCH(bounded<<<1, 64>>>(d));
    LAUNCH(bounded<<<1, 65>>>(d));
    LAUNCH(bounded<<<1, 1025>>>(d));
    LAUNCH(with_static_memory<<<1, 32, 1152>>>(d));
    LAUNCH(with_static_memory<<<1, 32, 1153>>>(d));
    ASK(cudaFuncSetAttribute(empty, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
    LAUNCH(empty<<<1, 32, 232448>>>());
    ASK(cudaFuncSetAttribute(empty, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449));
    ASK(cudaFuncSetAttribute(empty, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    ASK(cudaFuncSetAttribute(with_static_memory, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
    ASK(cudaFuncSetAttribute(with_static_memory, cudaFuncAttributeMaxDynamicSharedMemorySize, 184448));
    ASK(cudaFuncSetAttribute((const void *)&d, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
    void *arguments[] = {&d};
    ASK(cudaLaunchKernel((const void *)set, dim3(1), dim3(1025), arguments, 0, nullptr));
    ASK(cudaLaunchKernel((const void *)set, dim3(0), dim3(1), arguments, 0, nullptr));
    ASK(cudaLaunchKernel(nullptr, dim3(1), dim3(1), arguments, 0, nullptr));
    ASK(cudaLaunchKernel((const void *)arguments, dim3(1), dim3(1), arguments, 0, nullptr));
    ASK(cudaLaunchCooperativeKernel((const void *)set, dim3(1000000), dim3(1), arguments, 0, nullptr));
    ASK(cudaLaunchCooperativeKernel((const void *)set, dim3(1), dim3(1025), arguments, 0, nullptr));
    cudaFuncAttributes attributes;
    ASK(cudaFuncGetAttributes(&attributes, (const void *)arguments));
    ASK(cudaFuncGetAttributes(nullptr, (const void *)set));
    int blocks;
    ASK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, empty, 1025, 0));
    ASK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, empty, 0, 0));
    ASK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, empty, 32, 300000));
    cudaFree(d);
}

static void memory()
{
    char *d, *e, *nothing = nullptr, host[256];
    memset(host, 0, sizeof host);
    cudaMalloc(&d, 1000);
    ASK(cudaMalloc((void **)nullptr, 16));
    ASK(cudaMalloc(&e, 0));
    printf("a pointer to no bytes is %s\n", e == nullptr ? "null" : "not null");
    ASK(cudaMalloc(&e, (size_t)1 << 50));
    ASK(cudaMalloc(&e, (size_t)-1));
    ASK(cudaFree(nullptr));
    ASK(cudaFree(host));
    ASK(cudaFree(d + 1));
    ASK(cudaFree((void *)16));
    cudaMalloc(&e, 100);
    ASK(cudaFree(e));
    ASK(cudaFree(e));
    ASK(cudaMemcpy(d, host, 0, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy(nothing, host, 0, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy(nothing, host, 16, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy(d, nothing, 16, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy(nothing, d, 16, cudaMemcpyDeviceToHost));
    ASK(cudaMemcpy(d, host, 16, (cudaMemcpyKind)7));
    ASK(cudaMemcpy(d, host, 16, (cudaMemcpyKind)-1));
    ASK(cudaMemcpy(host, d, 16, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy(d, host, 16, cudaMemcpyDeviceToHost));
    ASK(cudaMemcpy(host, host + 100, 16, cudaMemcpyDeviceToDevice));
    ASK(cudaMemcpy(host, host + 100, 16, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2D(d, 8, host, 16, 16, 4, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2D(d, 16, host, 8, 16, 4, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2D(d, 16, host, 16, 0, 4, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2D(nothing, 16, host, 16, 16, 4, cudaMemcpyHostToDevice));
    ASK(cudaMemset(nothing, 0, 0));
    ASK(cudaMemset(nothing, 0, 16));
    ASK(cudaMemset(host, 0, 16));
    ASK(cudaMemset2D(d, 8, 0, 16, 4));
    ASK(cudaMemcpyToSymbol(c_mask, host, 64));
    ASK(cudaMemcpyToSymbol(c_mask, host, 65));
    ASK(cudaMemcpyToSymbol(c_mask, host, 32, 40));
    ASK(cudaMemcpyToSymbol(c_mask, nothing, 16));
    ASK(cudaMemcpyToSymbol(c_mask, host, 16, 0, cudaMemcpyDeviceToHost));
    ASK(cudaMemcpyToSymbol(host, host, 16));
    ASK(cudaMemcpyFromSymbol(host, c_mask, 65));
    ASK(cudaMemcpyFromSymbol(host, c_mask, 64, 0, cudaMemcpyHostToDevice));
    void *address;
    size_t bytes;
    ASK(cudaGetSymbolAddress(&address, d_value));
    ASK(cudaGetSymbolAddress(&address, host));
    ASK(cudaGetSymbolSize(&bytes, host));
    ASK(cudaMallocHost((void **)nullptr, 16));
    ASK(cudaFreeHost(nullptr));
    ASK(cudaFreeHost(host));
    ASK(cudaFreeHost(d));
    ASK(cudaHostRegister(host, 0, 0));
    ASK(cudaHostUnregister(host));
    ASK(cudaMallocManaged(&e, 0));
    ASK(cudaMallocManaged(&e, 16, 7));
    ASK(cudaMallocPitch((void **)&e, &bytes, 0, 4));
    ASK(cudaMallocPitch((void **)&e, (size_t *)nullptr, 16, 4));
    cudaPointerAttributes attributes;
    ASK(cudaPointerGetAttributes(&attributes, nullptr));
    ASK(cudaPointerGetAttributes(nullptr, d));
    ASK(cudaMemGetInfo(nullptr, &bytes));
    cudaFree(d);
}

static void streams()
{
    cudaStream_t stream;
    cudaEvent_t event, other;
    float ms;
    char *d, host[64];
    cudaMalloc(&d, 64);
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    cudaEventCreate(&other);
    ASK(cudaStreamCreate(nullptr));
    ASK(cudaStreamCreateWithFlags(&stream, 7));
    ASK(cudaStreamCreateWithPriority(&stream, 0, -100));
    ASK(cudaStreamDestroy(nullptr));
    ASK(cudaStreamSynchronize(nullptr));
    ASK(cudaStreamQuery(stream));
    ASK(cudaEventCreate(nullptr));
    ASK(cudaEventCreateWithFlags(&event, 64));
    ASK(cudaEventQuery(event));
    ASK(cudaEventSynchronize(event));
    ASK(cudaEventElapsedTime(&ms, event, other));
    cudaEventRecord(event);
    ASK(cudaEventElapsedTime(&ms, event, other));
    ASK(cudaEventElapsedTime(nullptr, event, event));
    ASK(cudaEventRecord(nullptr));
    ASK(cudaEventQuery(nullptr));
    ASK(cudaEventDestroy(nullptr));
    ASK(cudaStreamWaitEvent(stream, nullptr, 0));
    ASK(cudaStreamWaitEvent(stream, event, 7));
    ASK(cudaMemcpyAsync(host, d, 16, (cudaMemcpyKind)9, stream));
    ASK(cudaMemcpyAsync(nullptr, d, 16, cudaMemcpyDeviceToHost, stream));
    ASK(cudaMemsetAsync(nullptr, 0, 16, stream));
    ASK(cudaLaunchHostFunc(stream, nullptr, nullptr));
    cudaEventCreateWithFlags(&other, cudaEventDisableTiming);
    cudaEventRecord(other);
    ASK(cudaEventElapsedTime(&ms, event, other));
    ASK(cudaStreamEndCapture(stream, nullptr));
    cudaFree(d);
}

static void device()
{
    int value, count;
    size_t bytes;
    ASK(cudaGetDeviceCount(nullptr));
    cudaGetDeviceCount(&count);
    ASK(cudaSetDevice(99));
    ASK(cudaSetDevice(-1));
    ASK(cudaGetDevice(nullptr));
    cudaDeviceProp properties;
    ASK(cudaGetDeviceProperties(&properties, 99));
    ASK(cudaGetDeviceProperties(nullptr, 0));
    ASK(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
    ASK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99));
    ASK(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
    ASK(cudaDeviceSetLimit((cudaLimit)7, 1));
    ASK(cudaDeviceSetLimit((cudaLimit)99, 1));
    ASK(cudaDeviceGetLimit(&bytes, (cudaLimit)99));
    ASK(cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
    ASK(cudaDeviceSetLimit(cudaLimitStackSize, (size_t)1 << 40));
    ASK(cudaDeviceSetCacheConfig((cudaFuncCache)9));
    ASK(cudaFuncSetCacheConfig(empty, cudaFuncCachePreferL1));
    ASK(cudaDeviceCanAccessPeer(&value, 0, 0));
    ASK(cudaDeviceEnablePeerAccess(0, 0));
    ASK(cudaSetDeviceFlags(0x1000));
    ASK(cudaDriverGetVersion(nullptr));
    ASK(cudaRuntimeGetVersion(nullptr));
    printf("%s | %s\n", cudaGetErrorString((cudaError_t)12345), cudaGetErrorName((cudaError_t)12345));
}

// Nothing works after a fault in a kernel. The simulator ends the program there, so this comes last.
__global__ void fault(int *p) { *p = 1; }

static void after_a_fault()
{
    char *d;
    cudaMalloc(&d, 64);
    LAUNCH(fault<<<1, 1>>>((int *)16));
    ASK(cudaMemset(d, 0, 64));
    ASK(cudaMalloc(&d, 64));
    ASK(cudaFree(d));
    LAUNCH(empty<<<1, 1>>>());
    LAUNCH(empty<<<1, 1025>>>());
    cudaStream_t stream;
    ASK(cudaStreamCreate(&stream));
    ASK(cudaStreamSynchronize(nullptr));
}

int main()
{
    setvbuf(stdout, nullptr, _IOLBF, 0);
#ifndef CONVLABS_SIM // whose own handler says where it was
    signal(SIGSEGV, crashed);
#endif
    launches();
    memory();
    streams();
    device();
    after_a_fault();
    return 0;
}
