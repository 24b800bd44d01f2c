/* The runtime API's functions for memory. cuda_runtime_api.h includes it. */
#pragma once

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
SIM_API(cudaPointerGetAttributes, (attributes, pointer), struct cudaPointerAttributes *attributes,
        const void *pointer)

SIM_API_COPY(cudaMemcpy, (to, from, bytes, kind), void *to, const void *from, size_t bytes,
             enum cudaMemcpyKind kind)
SIM_API_COPY(cudaMemcpyAsync, (to, from, bytes, kind, stream), void *to, const void *from,
             size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream SIM_DEFAULT(0))
SIM_API_COPY(cudaMemcpy2D, (to, to_pitch, from, from_pitch, width, height, kind), void *to,
             size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
             enum cudaMemcpyKind kind)
SIM_API_COPY(cudaMemcpy2DAsync, (to, to_pitch, from, from_pitch, width, height, kind, stream),
             void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
             size_t height, enum cudaMemcpyKind kind, cudaStream_t stream SIM_DEFAULT(0))
SIM_API(cudaMemset, (pointer, value, bytes), void *pointer, int value, size_t bytes)
SIM_API(cudaMemsetAsync, (pointer, value, bytes, stream), void *pointer, int value, size_t bytes,
        cudaStream_t stream SIM_DEFAULT(0))
SIM_API(cudaMemset2D, (pointer, pitch, value, width, height), void *pointer, size_t pitch,
        int value, size_t width, size_t height)
SIM_API(cudaMemset2DAsync, (pointer, pitch, value, width, height, stream), void *pointer,
        size_t pitch, int value, size_t width, size_t height, cudaStream_t stream SIM_DEFAULT(0))
SIM_API(cudaMemcpyPeer, (to, to_device, from, from_device, bytes), void *to, int to_device,
        const void *from, int from_device, size_t bytes)
SIM_API(cudaMemcpyPeerAsync, (to, to_device, from, from_device, bytes, stream), void *to,
        int to_device, const void *from, int from_device, size_t bytes,
        cudaStream_t stream SIM_DEFAULT(0))

/* ---- three dimensions */

SIM_API(cudaMalloc3D, (pointer, extent), struct cudaPitchedPtr *pointer, struct cudaExtent extent)
SIM_API(cudaMemcpy3D, (parameters), const struct cudaMemcpy3DParms *parameters)
SIM_API(cudaMemcpy3DAsync, (parameters, stream), const struct cudaMemcpy3DParms *parameters,
        cudaStream_t stream SIM_DEFAULT(0))
SIM_API(cudaMemset3D, (pointer, value, extent), struct cudaPitchedPtr pointer, int value,
        struct cudaExtent extent)
SIM_API(cudaMemset3DAsync, (pointer, value, extent, stream), struct cudaPitchedPtr pointer,
        int value, struct cudaExtent extent, cudaStream_t stream SIM_DEFAULT(0))

static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t width,
                                                        size_t height) {
    struct cudaPitchedPtr p = {pointer, pitch, width, height};
    return p;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    struct cudaPos p = {x, y, z};
    return p;
}
static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
    struct cudaExtent e = {width, height, depth};
    return e;
}

/* ---- managed memory: the host and the device may both access it */

SIM_API(cudaMallocManaged, (pointer, bytes, flags), void **pointer, size_t bytes,
        unsigned int flags SIM_DEFAULT(cudaMemAttachGlobal))
SIM_API(cudaMemPrefetchAsync, (pointer, bytes, location, flags, stream), const void *pointer,
        size_t bytes, struct cudaMemLocation location, unsigned int flags,
        cudaStream_t stream SIM_DEFAULT(0))
SIM_API(cudaMemAdvise, (pointer, bytes, advice, location), const void *pointer, size_t bytes,
        enum cudaMemoryAdvise advice, struct cudaMemLocation location)
SIM_API(cudaStreamAttachMemAsync, (stream, pointer, bytes, flags), cudaStream_t stream,
        void *pointer, size_t bytes SIM_DEFAULT(0),
        unsigned int flags SIM_DEFAULT(cudaMemAttachSingle))

/* ---- in the order of a stream */

SIM_API(cudaMallocAsync, (pointer, bytes, stream), void **pointer, size_t bytes,
        cudaStream_t stream)
SIM_API(cudaMallocFromPoolAsync, (pointer, bytes, pool, stream), void **pointer, size_t bytes,
        cudaMemPool_t pool, cudaStream_t stream)
SIM_API(cudaFreeAsync, (pointer, stream), void *pointer, cudaStream_t stream)
SIM_API(cudaDeviceGetDefaultMemPool, (pool, device), cudaMemPool_t *pool, int device)
SIM_API(cudaDeviceGetMemPool, (pool, device), cudaMemPool_t *pool, int device)
SIM_API(cudaDeviceSetMemPool, (device, pool), int device, cudaMemPool_t pool)
SIM_API(cudaMemPoolCreate, (pool, properties), cudaMemPool_t *pool,
        const struct cudaMemPoolProps *properties)
SIM_API(cudaMemPoolDestroy, (pool), cudaMemPool_t pool)
SIM_API(cudaMemPoolTrimTo, (pool, bytes), cudaMemPool_t pool, size_t bytes)
SIM_API(cudaMemPoolSetAttribute, (pool, attribute, value), cudaMemPool_t pool,
        enum cudaMemPoolAttr attribute, void *value)
/* An int at least: SIM_CONFINE judges where it is written to. */
SIM_API(cudaMemPoolGetAttribute, (pool, attribute, (int *)value), cudaMemPool_t pool,
        enum cudaMemPoolAttr attribute, void *value)
SIM_API(cudaMemPoolSetAccess, (pool, list, count), cudaMemPool_t pool,
        const struct cudaMemAccessDesc *list, size_t count)
SIM_API(cudaMemPoolGetAccess, (flags, pool, location), enum cudaMemAccessFlags *flags,
        cudaMemPool_t pool, struct cudaMemLocation *location)

/* ---- symbols: `symbol` is the address of a __constant__ or __device__ variable. cuda_runtime.h
 * has the forms that take the variable itself, and so know its size. */

SIM_API(cudaMemcpyToSymbol, (symbol, from, bytes, offset, kind), const void *symbol,
        const void *from, size_t bytes, size_t offset SIM_DEFAULT(0),
        enum cudaMemcpyKind kind SIM_DEFAULT(cudaMemcpyHostToDevice))
SIM_API(cudaMemcpyFromSymbol, (to, symbol, bytes, offset, kind), void *to, const void *symbol,
        size_t bytes, size_t offset SIM_DEFAULT(0),
        enum cudaMemcpyKind kind SIM_DEFAULT(cudaMemcpyDeviceToHost))
SIM_API(cudaGetSymbolAddress, (pointer, symbol), void **pointer, const void *symbol)
SIM_API(cudaMemcpyToSymbolAsync, (symbol, from, bytes, offset, kind, stream), const void *symbol,
        const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
        cudaStream_t stream SIM_DEFAULT(0))
SIM_API(cudaMemcpyFromSymbolAsync, (to, symbol, bytes, offset, kind, stream), void *to,
        const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
        cudaStream_t stream SIM_DEFAULT(0))
