/* Typed forms of the functions for managed memory and for memory in the order of a stream, and the
 * forms that they had before CUDA 13. */
#pragma once

#include "sim_abi.h"

template <class T>
static inline cudaError_t cudaMallocManaged(T **pointer, size_t bytes,
                                            unsigned int flags = cudaMemAttachGlobal, SIM_SITE) {
    return cudaMallocManaged((void **)pointer, bytes, flags, sim_file, sim_line);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream,
                                          SIM_SITE) {
    return cudaMallocAsync((void **)pointer, bytes, stream, sim_file, sim_line);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaMemPool_t pool,
                                          cudaStream_t stream, SIM_SITE) {
    return cudaMallocFromPoolAsync((void **)pointer, bytes, pool, stream, sim_file, sim_line);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t pool,
                                                  cudaStream_t stream, SIM_SITE) {
    return cudaMallocFromPoolAsync((void **)pointer, bytes, pool, stream, sim_file, sim_line);
}
template <class T>
static inline cudaError_t
cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer, size_t bytes = 0,
                         unsigned int flags = cudaMemAttachSingle, SIM_SITE) {
    return cudaStreamAttachMemAsync(stream, (void *)pointer, bytes, flags, sim_file, sim_line);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags, SIM_SITE) {
    return cudaEventCreateWithFlags(event, flags, sim_file, sim_line);
}
// Flags of 0 would also be a null pointer: a file's name.
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, int flags, SIM_SITE) {
    return cudaEventCreateWithFlags(event, (unsigned int)flags, sim_file, sim_line);
}

/* ---- a device by its number, before CUDA 13; cudaCpuDeviceId is the host */

static inline cudaMemLocation sim_location_of(int device) {
    return {device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
            device == cudaCpuDeviceId ? 0 : device};
}
SIM_REMOVED("CUDA 13 takes a cudaMemLocation and flags: cudaMemPrefetchAsync(p, n, location, 0, s)")
static inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
                                               cudaStream_t stream = 0, SIM_SITE) {
    return cudaMemPrefetchAsync(pointer, bytes, sim_location_of(device), 0u, stream, sim_file,
                                sim_line);
}
SIM_REMOVED("CUDA 13 takes a cudaMemLocation: cudaMemAdvise(p, n, advice, location)")
static inline cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, cudaMemoryAdvise advice,
                                        int device, SIM_SITE) {
    return cudaMemAdvise(pointer, bytes, advice, sim_location_of(device), sim_file, sim_line);
}
