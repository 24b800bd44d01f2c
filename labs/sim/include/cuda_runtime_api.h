/* The CUDA runtime API that the labs use, for C and C++, with the toolkit's names and numbers. */
#ifndef SIM_CUDA_RUNTIME_API_H
#define SIM_CUDA_RUNTIME_API_H

#include "sim_errors.h"
#include "vector_types.h"

#include <stddef.h>

#define CONVLABS_SIM 1 /* this is the simulator, not the toolkit */
#define CUDART_VERSION 13000

#ifdef __cplusplus
extern "C" {
#define SIM_DEFAULT(value) = value
#else
#define SIM_DEFAULT(value)
#endif

#define SIM_ENUM(name, number, text) name = number,
typedef enum cudaError { SIM_ERRORS(SIM_ENUM) } cudaError_t;
#undef SIM_ENUM

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    size_t totalConstMem;
    int major, minor;
    int multiProcessorCount;
    int maxThreadsPerMultiProcessor;
    size_t sharedMemPerMultiprocessor;
    size_t sharedMemPerBlockOptin;
    int l2CacheSize;
    int concurrentKernels;
    int asyncEngineCount;
    int unifiedAddressing;
    int canMapHostMemory;
    int memoryBusWidth;
};

typedef struct sim_stream *cudaStream_t;
typedef struct sim_event *cudaEvent_t;

#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);

cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaMemGetInfo(size_t *available, size_t *total);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);

cudaError_t cudaMalloc(void **pointer, size_t bytes);
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaMallocHost(void **pointer, size_t bytes);
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void *pointer);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags);

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream SIM_DEFAULT(0));
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemset(void *pointer, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes,
                            cudaStream_t stream SIM_DEFAULT(0));

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned int flags SIM_DEFAULT(0));
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream SIM_DEFAULT(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaEventDestroy(cudaEvent_t event);

/* ---- the simulator's own: not part of CUDA */

/* Says which line of the program makes the runtime calls that follow. Always 0. */
int sim_site(const char *file, int line);

/* Starts counting calls for CONVLABS_SIM_INJECT=NAME:N, which makes the N-th call of NAME fail. */
void sim_inject_arm(void);

#ifdef __cplusplus
}
#endif
#undef SIM_DEFAULT

/* Each call leaves its file and line, so that a finding can name them. */
#define SIM_AT(call) (sim_site(__FILE__, __LINE__), call)
#define cudaMalloc(...) SIM_AT(cudaMalloc(__VA_ARGS__))
#define cudaMallocPitch(...) SIM_AT(cudaMallocPitch(__VA_ARGS__))
#define cudaFree(...) SIM_AT(cudaFree(__VA_ARGS__))
#define cudaMallocHost(...) SIM_AT(cudaMallocHost(__VA_ARGS__))
#define cudaHostAlloc(...) SIM_AT(cudaHostAlloc(__VA_ARGS__))
#define cudaFreeHost(...) SIM_AT(cudaFreeHost(__VA_ARGS__))
#define cudaMemcpy(...) SIM_AT(cudaMemcpy(__VA_ARGS__))
#define cudaMemcpyAsync(...) SIM_AT(cudaMemcpyAsync(__VA_ARGS__))
#define cudaMemcpy2D(...) SIM_AT(cudaMemcpy2D(__VA_ARGS__))
#define cudaMemset(...) SIM_AT(cudaMemset(__VA_ARGS__))
#define cudaMemsetAsync(...) SIM_AT(cudaMemsetAsync(__VA_ARGS__))
#define cudaMemcpyToSymbol(...) SIM_AT(cudaMemcpyToSymbol(__VA_ARGS__))
#define cudaMemcpyToSymbolAsync(...) SIM_AT(cudaMemcpyToSymbolAsync(__VA_ARGS__))
#define cudaMemcpyFromSymbol(...) SIM_AT(cudaMemcpyFromSymbol(__VA_ARGS__))

#endif
