/* The CUDA runtime API for C and C++, as far as the simulator supports it; CONVLABS_SIM is defined.
 * Each function does what NVIDIA documents and returns the codes of a driver. Everything runs at
 * once and in order, so streams and events only mark it.
 *
 * In C++ every call also passes the file and line of the caller, which findings name. */
#ifndef SIM_CUDA_RUNTIME_API_H
#define SIM_CUDA_RUNTIME_API_H

#include "driver_types.h"
#include "sim_abi.h"
#include "vector_types.h"

#define CONVLABS_SIM 1
#define CUDART_VERSION 13000

#ifdef __cplusplus
extern "C++" {
#define SIM_EXTERN_C extern "C"
#define SIM_DEFAULT(value) = value
#define SIM_SITE const char *sim_file = __builtin_FILE(), int sim_line = __builtin_LINE()
#define SIM_API(name, arguments, ...)                                                              \
    extern "C" cudaError_t sim_c_##name(__VA_ARGS__) __asm__(#name);                               \
    static inline cudaError_t name(__VA_ARGS__, SIM_SITE) {                                        \
        sim_site(sim_file, sim_line);                                                              \
        return sim_c_##name arguments;                                                             \
    }
#define SIM_API_VOID(name)                                                                         \
    extern "C" cudaError_t sim_c_##name(void) __asm__(#name);                                      \
    static inline cudaError_t name(SIM_SITE) {                                                     \
        sim_site(sim_file, sim_line);                                                              \
        return sim_c_##name();                                                                     \
    }
#else
#define SIM_EXTERN_C extern
#define SIM_DEFAULT(value)
#define SIM_API(name, arguments, ...) cudaError_t name(__VA_ARGS__);
#define SIM_API_VOID(name) cudaError_t name(void);
#endif

/* ---- convlabs' own: not part of CUDA */

/* Starts counting the calls for CONVLABS_SIM_INJECT=NAME:N, which makes the N-th one fail. */
SIM_EXTERN_C void sim_inject_arm(void);

/* Findings call the device memory that begins there by this name, such as "d_out". The name must
 * live as long as the memory. */
SIM_EXTERN_C void sim_name_memory(const void *pointer, const char *name);

/* The number of streams that exist. */
SIM_EXTERN_C unsigned sim_streams(void);

/* What a program has queued in streams: its launches, and its copies with cudaMemcpyAsync(). */
enum sim_work { SIM_LAUNCH, SIM_COPY_THERE, SIM_COPY_BACK };

struct sim_queued {
    enum sim_work work;
    unsigned stream; /* 0 is the default stream; those that were created count from 1 */
};

/* *list: the first of them, in the order of the calls. Returns their number. */
SIM_EXTERN_C unsigned sim_queued(const struct sim_queued **list);

/* ---- errors */

SIM_EXTERN_C const char *cudaGetErrorName(cudaError_t error);
SIM_EXTERN_C const char *cudaGetErrorString(cudaError_t error);
SIM_API_VOID(cudaGetLastError)
SIM_API_VOID(cudaPeekAtLastError)

/* ---- the device */

SIM_API_VOID(cudaDeviceSynchronize)
SIM_API_VOID(cudaDeviceReset)
SIM_API(cudaSetDevice, (device), int device)
SIM_API(cudaGetDevice, (device), int *device)
SIM_API(cudaGetDeviceCount, (count), int *count)
SIM_API(cudaSetDeviceFlags, (flags), unsigned int flags)
SIM_API(cudaGetDeviceProperties, (properties, device), struct cudaDeviceProp *properties,
        int device)
SIM_API(cudaDeviceGetAttribute, (value, attribute, device), int *value,
        enum cudaDeviceAttr attribute, int device)
SIM_API(cudaMemGetInfo, (available, total), size_t *available, size_t *total)
SIM_API(cudaDriverGetVersion, (version), int *version)
SIM_API(cudaRuntimeGetVersion, (version), int *version)

/* ---- memory */

SIM_API(cudaMalloc, (pointer, bytes), void **pointer, size_t bytes)
SIM_API(cudaMallocPitch, (pointer, pitch, width, height), void **pointer, size_t *pitch,
        size_t width, size_t height)
SIM_API(cudaFree, (pointer), void *pointer)
SIM_API(cudaMallocHost, (pointer, bytes), void **pointer, size_t bytes)
SIM_API(cudaHostAlloc, (pointer, bytes, flags), void **pointer, size_t bytes, unsigned int flags)
SIM_API(cudaFreeHost, (pointer), void *pointer)
SIM_API(cudaHostRegister, (pointer, bytes, flags), void *pointer, size_t bytes, unsigned int flags)
SIM_API(cudaHostUnregister, (pointer), void *pointer)
SIM_API(cudaHostGetDevicePointer, (device, host, flags), void **device, void *host,
        unsigned int flags)
SIM_API(cudaHostGetFlags, (flags, host), unsigned int *flags, void *host)
SIM_API(cudaPointerGetAttributes, (attributes, pointer), struct cudaPointerAttributes *attributes,
        const void *pointer)

SIM_API(cudaMemcpy, (to, from, bytes, kind), void *to, const void *from, size_t bytes,
        enum cudaMemcpyKind kind)
SIM_API(cudaMemcpyAsync, (to, from, bytes, kind, stream), void *to, const void *from, size_t bytes,
        enum cudaMemcpyKind kind, cudaStream_t stream SIM_DEFAULT(0))
SIM_API(cudaMemcpy2D, (to, to_pitch, from, from_pitch, width, height, kind), void *to,
        size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
        enum cudaMemcpyKind kind)
SIM_API(cudaMemcpy2DAsync, (to, to_pitch, from, from_pitch, width, height, kind, stream), void *to,
        size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
        enum cudaMemcpyKind kind, cudaStream_t stream SIM_DEFAULT(0))
SIM_API(cudaMemset, (pointer, value, bytes), void *pointer, int value, size_t bytes)
SIM_API(cudaMemsetAsync, (pointer, value, bytes, stream), void *pointer, int value, size_t bytes,
        cudaStream_t stream SIM_DEFAULT(0))
SIM_API(cudaMemset2D, (pointer, pitch, value, width, height), void *pointer, size_t pitch,
        int value, size_t width, size_t height)

/* ---- symbols: `symbol` is the address of a __constant__ or __device__ variable. cuda_runtime.h
 * has the forms that take the variable itself, and so know its size. */

SIM_API(cudaMemcpyToSymbol, (symbol, from, bytes, offset, kind), const void *symbol,
        const void *from, size_t bytes, size_t offset SIM_DEFAULT(0),
        enum cudaMemcpyKind kind SIM_DEFAULT(cudaMemcpyHostToDevice))
SIM_API(cudaMemcpyFromSymbol, (to, symbol, bytes, offset, kind), void *to, const void *symbol,
        size_t bytes, size_t offset SIM_DEFAULT(0),
        enum cudaMemcpyKind kind SIM_DEFAULT(cudaMemcpyDeviceToHost))
SIM_API(cudaGetSymbolAddress, (pointer, symbol), void **pointer, const void *symbol)

/* ---- streams and events */

SIM_API(cudaStreamCreate, (stream), cudaStream_t *stream)
SIM_API(cudaStreamCreateWithFlags, (stream, flags), cudaStream_t *stream, unsigned int flags)
SIM_API(cudaStreamSynchronize, (stream), cudaStream_t stream)
SIM_API(cudaStreamQuery, (stream), cudaStream_t stream)
SIM_API(cudaStreamDestroy, (stream), cudaStream_t stream)
SIM_API(cudaStreamWaitEvent, (stream, event, flags), cudaStream_t stream, cudaEvent_t event,
        unsigned int flags SIM_DEFAULT(0))
SIM_API(cudaEventCreate, (event), cudaEvent_t *event)
SIM_API(cudaEventCreateWithFlags, (event, flags), cudaEvent_t *event, unsigned int flags)
SIM_API(cudaEventRecord, (event, stream), cudaEvent_t event, cudaStream_t stream SIM_DEFAULT(0))
SIM_API(cudaEventSynchronize, (event), cudaEvent_t event)
SIM_API(cudaEventQuery, (event), cudaEvent_t event)
SIM_API(cudaEventElapsedTime, (milliseconds, start, end), float *milliseconds, cudaEvent_t start,
        cudaEvent_t end)
SIM_API(cudaEventDestroy, (event), cudaEvent_t event)

#include "sim_api_array.h"

/* ---- kernels */

SIM_API(cudaFuncSetAttribute, (kernel, attribute, value), const void *kernel,
        enum cudaFuncAttribute attribute, int value)
SIM_API(cudaFuncGetAttributes, (attributes, kernel), struct cudaFuncAttributes *attributes,
        const void *kernel)
SIM_API(cudaFuncSetCacheConfig, (kernel, config), const void *kernel, enum cudaFuncCache config)
SIM_API(cudaDeviceSetCacheConfig, (config), enum cudaFuncCache config)
SIM_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, (blocks, kernel, threads, shared),
        int *blocks, const void *kernel, int threads, size_t shared)

#ifdef __cplusplus
}
#elif !defined(SIM_RUNTIME)
#include "sim_sites.h"
#endif

#endif
