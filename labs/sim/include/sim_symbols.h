/* Typed forms of the runtime API: cudaMalloc(&d_image, n), cudaMemcpyToSymbol(c_mask, ...). */
#ifndef SIM_SYMBOLS_H
#define SIM_SYMBOLS_H

#define SIM_INLINE template <class T> static inline

extern "C" {
cudaError_t sim_copy_symbol(const void *symbol, size_t size, size_t offset, void *host,
                            size_t bytes, cudaMemcpyKind kind, int to_symbol);
cudaError_t sim_symbol_address(void **pointer, const void *symbol);
cudaError_t sim_function_attribute(const void *kernel, cudaFuncAttribute attribute, int value);
cudaError_t sim_occupancy(int *blocks, int threads, size_t shared);
}

SIM_INLINE cudaError_t(cudaMalloc)(T **pointer, size_t bytes) {
    return (cudaMalloc)((void **)pointer, bytes);
}
SIM_INLINE cudaError_t(cudaMallocPitch)(T **pointer, size_t *pitch, size_t width, size_t height) {
    return (cudaMallocPitch)((void **)pointer, pitch, width, height);
}
SIM_INLINE cudaError_t(cudaMallocHost)(T **pointer, size_t bytes) {
    return (cudaMallocHost)((void **)pointer, bytes);
}
SIM_INLINE cudaError_t(cudaHostAlloc)(T **pointer, size_t bytes, unsigned int flags) {
    return (cudaHostAlloc)((void **)pointer, bytes, flags);
}
SIM_INLINE cudaError_t(cudaMemcpyToSymbol)(const T &symbol, const void *from, size_t bytes,
                                           size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return sim_copy_symbol(&symbol, sizeof(T), offset, const_cast<void *>(from), bytes, kind, 1);
}
SIM_INLINE cudaError_t(cudaMemcpyToSymbolAsync)(const T &symbol, const void *from, size_t bytes,
                                                size_t offset = 0,
                                                cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                cudaStream_t = 0) {
    return sim_copy_symbol(&symbol, sizeof(T), offset, const_cast<void *>(from), bytes, kind, 1);
}
SIM_INLINE cudaError_t(cudaMemcpyFromSymbol)(void *to, const T &symbol, size_t bytes,
                                             size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return sim_copy_symbol(&symbol, sizeof(T), offset, to, bytes, kind, 0);
}
SIM_INLINE cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol) {
    return sim_symbol_address(pointer, &symbol);
}
SIM_INLINE cudaError_t cudaGetSymbolSize(size_t *bytes, const T &) {
    *bytes = sizeof(T);
    return cudaSuccess;
}
SIM_INLINE cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value) {
    return sim_function_attribute((const void *)kernel, attribute, value);
}
SIM_INLINE cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *, int threads,
                                                                     size_t shared) {
    return sim_occupancy(blocks, threads, shared);
}

/* A variable in shared memory: see the rewriter. `Tag` tells declarations and instances apart. */
template <class Tag, class T>
static inline T &sim_shared_variable(const char *name, const char *file, int line) {
    static sim_shared variable = {
        name, file, line, sizeof(T), alignof(T) > 16 ? alignof(T) : 16, 0, 0};
    return *static_cast<T *>(sim_shared_address(&variable));
}

#endif
