/* Typed forms of the runtime API: cudaMalloc(&d_image, n), cudaMemcpyToSymbol(c_mask, ...).
 * sim/kernels.h has those that take a kernel. */
#pragma once

#include "sim/abi.h"

#include <type_traits>

template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t bytes, SIM_SITE) {
    return cudaMalloc((void **)pointer, bytes, sim_file, sim_line);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height,
                                          SIM_SITE) {
    return cudaMallocPitch((void **)pointer, pitch, width, height, sim_file, sim_line);
}
template <class T> static inline cudaError_t cudaMallocHost(T **pointer, size_t bytes, SIM_SITE) {
    return cudaMallocHost((void **)pointer, bytes, sim_file, sim_line);
}
template <class T>
static inline cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned int flags, SIM_SITE) {
    return cudaHostAlloc((void **)pointer, bytes, flags, sim_file, sim_line);
}
template <class T> // flags of 0 would also be a null pointer: a file's name
static inline cudaError_t cudaMallocHost(T **pointer, size_t bytes, int flags, SIM_SITE) {
    return cudaHostAlloc((void **)pointer, bytes, (unsigned int)flags, sim_file, sim_line);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned int flags, SIM_SITE) {
    return cudaHostAlloc((void **)pointer, bytes, flags, sim_file, sim_line);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags,
                                                   SIM_SITE) {
    return cudaHostGetDevicePointer((void **)device, host, flags, sim_file, sim_line);
}

/* The bytes of a number in a variable of numbers; 1 for any other. */
template <class T> constexpr size_t sim_number_bytes() {
    typedef typename std::remove_all_extents<T>::type element;
    return std::is_arithmetic<element>::value ? sizeof(element) : 1;
}

template <class T>
static inline cudaError_t
cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                   cudaMemcpyKind kind = cudaMemcpyHostToDevice, SIM_SITE) {
    sim_site(sim_file, sim_line);
    return sim_copy_to_symbol((const void *)&symbol, sizeof(T), sim_number_bytes<T>(), from, bytes,
                              offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes,
                                                  size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = 0, SIM_SITE) {
    sim_site(sim_file, sim_line);
    return sim_copy_to_symbol_async((const void *)&symbol, sizeof(T), sim_number_bytes<T>(), from,
                                    bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t
cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                     cudaMemcpyKind kind = cudaMemcpyDeviceToHost, SIM_SITE) {
    sim_site(sim_file, sim_line);
    return sim_copy_from_symbol(to, (const void *)&symbol, sizeof(T), bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes,
                                                    size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = 0, SIM_SITE) {
    sim_site(sim_file, sim_line);
    return sim_copy_from_symbol_async(to, (const void *)&symbol, sizeof(T), bytes, offset, kind,
                                      stream);
}
template <class T>
static inline cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol, SIM_SITE) {
    sim_site(sim_file, sim_line);
    SIM_CONFINE(pointer);
    return sim_symbol_address(pointer, (const void *)&symbol, sizeof(T));
}
template <class T>
static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol, SIM_SITE) {
    sim_site(sim_file, sim_line);
    SIM_CONFINE(bytes);
    return sim_symbol_size(bytes, (const void *)&symbol, sizeof(T));
}
