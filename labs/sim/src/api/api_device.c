/* The device that the simulator stands for, and how many blocks fit on it. */
#include "api/api.h"
#include "api/launch.h"
#include "memory/allocations.h"

#include <string.h>

/* The properties of an NVIDIA H200 (driver 580, CUDA 13.0). */
static const struct cudaDeviceProp device = {
    .name = "NVIDIA H200 (convlabs simulator)",
    .totalGlobalMem = SIM_GLOBAL_BYTES,
    .sharedMemPerBlock = SIM_BLOCK_SHARED,
    .regsPerBlock = 65536,
    .warpSize = SIM_WARP_SIZE,
    .memPitch = 2147483647,
    .maxThreadsPerBlock = SIM_MAX_THREADS,
    .maxThreadsDim = {1024, 1024, 64},
    .maxGridSize = {2147483647, 65535, 65535},
    .totalConstMem = SIM_CONSTANT_BYTES,
    .major = 9,
    .minor = 0,
    .textureAlignment = 512,
    .multiProcessorCount = SIM_MULTIPROCESSORS,
    .canMapHostMemory = 1,
    .concurrentKernels = 1,
    .ECCEnabled = 1,
    .asyncEngineCount = 3,
    .unifiedAddressing = 1,
    .memoryBusWidth = 6016,
    .l2CacheSize = 62914560,
    .maxThreadsPerMultiProcessor = SIM_MULTIPROCESSOR_WARPS * SIM_WARP_SIZE,
    .streamPrioritiesSupported = 1,
    .globalL1CacheSupported = 1,
    .localL1CacheSupported = 1,
    .sharedMemPerMultiprocessor = SIM_MULTIPROCESSOR_SHARED,
    .regsPerMultiprocessor = 65536,
    .sharedMemPerBlockOptin = SIM_BLOCK_SHARED_OPTIN,
    .maxBlocksPerMultiProcessor = SIM_MULTIPROCESSOR_BLOCKS,
    .reservedSharedMemPerBlock = SIM_RESERVED_SHARED,
};

/* Its attributes, except that the simulator has no managed memory. */
static const struct {
    enum cudaDeviceAttr attribute;
    int value;
} attributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, SIM_MAX_THREADS},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 2147483647},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, (int)SIM_BLOCK_SHARED},
    {cudaDevAttrTotalConstantMemory, (int)SIM_CONSTANT_BYTES},
    {cudaDevAttrWarpSize, SIM_WARP_SIZE},
    {cudaDevAttrMaxPitch, 2147483647},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrClockRate, 1980000},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrMultiProcessorCount, SIM_MULTIPROCESSORS},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrMemoryClockRate, 3201000},
    {cudaDevAttrGlobalMemoryBusWidth, 6016},
    {cudaDevAttrL2CacheSize, 62914560},
    {cudaDevAttrMaxThreadsPerMultiProcessor, SIM_MULTIPROCESSOR_WARPS *SIM_WARP_SIZE},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (int)SIM_MULTIPROCESSOR_SHARED},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {cudaDevAttrManagedMemory, 0},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)SIM_BLOCK_SHARED_OPTIN},
    {cudaDevAttrMaxBlocksPerMultiprocessor, SIM_MULTIPROCESSOR_BLOCKS},
    {cudaDevAttrReservedSharedMemoryPerBlock, (int)SIM_RESERVED_SHARED},
};

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int number) {
    SIM_BEGIN(cudaErrorInvalidDevice);
    if (!properties) {
        return sim_fail(cudaErrorInvalidValue);
    }
    if (number != 0) {
        return sim_fail(cudaErrorInvalidDevice);
    }
    *properties = device;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int number) {
    SIM_BEGIN(cudaErrorInvalidDevice);
    if (number != 0) {
        return sim_fail(cudaErrorInvalidDevice);
    }
    for (size_t i = 0; value && i < sizeof attributes / sizeof *attributes; i++) {
        if (attributes[i].attribute == attribute) {
            *value = attributes[i].value;
            return cudaSuccess;
        }
    }
    return sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaSetDevice(int number) {
    SIM_BEGIN(cudaErrorInvalidDevice);
    return number == 0 ? cudaSuccess : sim_fail(cudaErrorInvalidDevice);
}

static cudaError_t give(int *to, int value) {
    if (!to) {
        return sim_fail(cudaErrorInvalidValue);
    }
    *to = value;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *number) {
    SIM_BEGIN(cudaErrorInvalidDevice);
    return give(number, 0);
}

cudaError_t cudaGetDeviceCount(int *count) {
    SIM_BEGIN(cudaErrorNoDevice);
    return give(count, 1);
}

cudaError_t cudaDriverGetVersion(int *version) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return give(version, CUDART_VERSION);
}

cudaError_t cudaRuntimeGetVersion(int *version) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return give(version, CUDART_VERSION);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return flags & ~0xffu ? sim_fail(cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (!available || !total) {
        return sim_fail(cudaErrorInvalidValue);
    }
    sim_lock_device();
    *available = SIM_GLOBAL_BYTES - sim_device_bytes();
    sim_unlock_device();
    *total = SIM_GLOBAL_BYTES;
    return cudaSuccess;
}

/* Kernels have ended when their launch returns, so only a lost device is left to report. A refused
 * launch is not reported here, as on a device. */
cudaError_t cudaDeviceSynchronize(void) {
    SIM_BEGIN(cudaErrorLaunchFailure);
    return cudaSuccess;
}

cudaError_t cudaDeviceReset(void) {
    SIM_BEGIN(cudaErrorLaunchFailure);
    sim_lock_device();
    sim_report_device_leaks();
    sim_release_device();
    sim_unlock_device();
    return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache config) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return kernel && (unsigned)config <= cudaFuncCachePreferEqual ? cudaSuccess
                                                                  : sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return (unsigned)config <= cudaFuncCachePreferEqual ? cudaSuccess
                                                        : sim_fail(cudaErrorInvalidValue);
}

/* How many blocks of `threads` threads and `shared` bytes of shared memory, static and dynamic, a
 * multiprocessor holds at once. An upper bound: the number of registers is unknown. */
static int blocks_that_fit(int threads, size_t shared) {
    int warps = (threads + SIM_WARP_SIZE - 1) / SIM_WARP_SIZE;
    size_t each = shared + SIM_RESERVED_SHARED;
    int by_warps = SIM_MULTIPROCESSOR_WARPS / warps;
    int by_shared = (int)(SIM_MULTIPROCESSOR_SHARED / each);
    int most = by_warps < by_shared ? by_warps : by_shared;
    return most < SIM_MULTIPROCESSOR_BLOCKS ? most : SIM_MULTIPROCESSOR_BLOCKS;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t shared) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (!blocks || threads <= 0) {
        return sim_fail(cudaErrorInvalidValue);
    }
    sim_lock_device();
    const struct sim_kernel *k = sim_kernel_of(kernel);
    size_t fixed = k ? k->static_shared : 0;
    size_t limit = k && k->dynamic_limit ? k->dynamic_limit : SIM_BLOCK_SHARED - fixed;
    sim_unlock_device();
    bool never = threads > SIM_MAX_THREADS || shared > limit;
    *blocks = never ? 0 : blocks_that_fit(threads, shared + fixed);
    return cudaSuccess;
}

cudaError_t sim_best_block(int *grid, int *block, size_t (*shared)(const void *, int),
                           const void *closure, int limit) {
    if (!grid || !block) {
        return sim_fail(cudaErrorInvalidValue);
    }
    int largest = limit > 0 && limit < SIM_MAX_THREADS ? limit : SIM_MAX_THREADS;
    int best = 0;
    for (int threads = largest; threads > 0; threads -= SIM_WARP_SIZE) {
        size_t bytes = shared(closure, threads);
        int blocks = bytes <= SIM_BLOCK_SHARED_OPTIN ? blocks_that_fit(threads, bytes) : 0;
        if (blocks * threads > best) {
            best = blocks * threads;
            *block = threads;
            *grid = blocks * SIM_MULTIPROCESSORS;
        }
    }
    return best > 0 ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}
