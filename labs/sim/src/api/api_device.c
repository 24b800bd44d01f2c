/* The device that the simulator stands for. */
#include "api/api.h"
#include "api/event.h"
#include "base/limits.h"
#include "memory/allocations.h"
#include "memory/array.h"
#include "memory/heap.h"
#include "memory/pool.h"
#include "queue/queue.h"
#include "texture/texture.h"

/* The properties that cudaGetDeviceProperties() gave on an NVIDIA H200 (driver 580, CUDA 13.0),
 * except 0 for what the simulator refuses (see cuda_attributes.h). */
static const struct cudaDeviceProp device = {
    .name = "NVIDIA H200 (convlabs simulator)",
    .uuid = {"convlabs sim"},
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
    .texturePitchAlignment = 32,
    .multiProcessorCount = SIM_MULTIPROCESSORS,
    .canMapHostMemory = 1,
    .maxTexture1D = 131072,
    .maxTexture1DMipmap = 32768,
    .maxTexture2D = {131072, 65536},
    .maxTexture2DMipmap = {32768, 32768},
    .maxTexture2DLinear = {131072, 65000, 2097120},
    .maxTexture2DGather = {32768, 32768},
    .maxTexture3D = {16384, 16384, 16384},
    .maxTexture3DAlt = {8192, 8192, 32768},
    .maxTextureCubemap = 32768,
    .maxTexture1DLayered = {32768, 2048},
    .maxTexture2DLayered = {32768, 32768, 2048},
    .maxTextureCubemapLayered = {32768, 2046},
    .maxSurface1D = 32768,
    .maxSurface2D = {131072, 65536},
    .maxSurface3D = {16384, 16384, 16384},
    .maxSurface1DLayered = {32768, 2048},
    .maxSurface2DLayered = {32768, 32768, 2048},
    .maxSurfaceCubemap = 32768,
    .maxSurfaceCubemapLayered = {32768, 2046},
    .surfaceAlignment = 512,
    .concurrentKernels = 1,
    .ECCEnabled = 1,
    .pciDeviceID = 6,
    .asyncEngineCount = 3,
    .unifiedAddressing = 1,
    .memoryBusWidth = 6016,
    .l2CacheSize = 62914560,
    .persistingL2CacheMaxSize = 39321600,
    .maxThreadsPerMultiProcessor = SIM_MULTIPROCESSOR_WARPS * SIM_WARP_SIZE,
    .streamPrioritiesSupported = 1,
    .globalL1CacheSupported = 1,
    .localL1CacheSupported = 1,
    .sharedMemPerMultiprocessor = SIM_MULTIPROCESSOR_SHARED,
    .regsPerMultiprocessor = 65536,
    .managedMemory = 1,
    .concurrentManagedAccess = 1,
    .computePreemptionSupported = 1,
    .canUseHostPointerForRegisteredMem = 1,
    .cooperativeLaunch = 1,
    .sharedMemPerBlockOptin = SIM_BLOCK_SHARED_OPTIN,
    .maxBlocksPerMultiProcessor = SIM_MULTIPROCESSOR_BLOCKS,
    .accessPolicyMaxWindowSize = 134217728,
    .reservedSharedMemPerBlock = SIM_RESERVED_SHARED,
    .hostRegisterSupported = 1,
    .hostRegisterReadOnlySupported = 1,
    .memoryPoolsSupported = 1,
    .unifiedFunctionPointers = 1,
    .deviceNumaId = -1,
    .gpuPciDeviceID = 590680286,
    .gpuPciSubsystemID = 415174878,
    .clockRate = 1980000,
    .memoryClockRate = 3201000,
    .deviceOverlap = 1,
    .maxTexture1DLinear = 268435456,
    .singleToDoublePrecisionPerfRatio = 2,
};

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int number) {
    SIM_BEGIN(cudaErrorInvalidDevice);
    SIM_FAIL_IF(!properties, cudaErrorInvalidValue);
    SIM_FAIL_IF(number != 0, cudaErrorInvalidDevice);
    *properties = device;
    properties->sharedMemPerBlockOptin = sim_shared_optin;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int number) {
    SIM_BEGIN(cudaErrorInvalidDevice);
    SIM_FAIL_IF(number != 0, cudaErrorInvalidDevice);
    SIM_FAIL_IF(!value, cudaErrorInvalidValue);
    if (attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin) {
        *value = (int)sim_shared_optin;
        return cudaSuccess;
    }
    switch (attribute) {
#define CASE(name, number, setting)                                                                \
    case name:                                                                                     \
        *value = setting;                                                                          \
        return cudaSuccess;
        SIM_ATTRIBUTES(CASE)
#undef CASE
    }
    return sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaSetDevice(int number) {
    SIM_BEGIN(cudaErrorInvalidDevice);
    return number == 0 ? cudaSuccess : sim_fail(cudaErrorInvalidDevice);
}

static cudaError_t give(int *to, int value) {
    SIM_FAIL_IF(!to, cudaErrorInvalidValue);
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
    SIM_FAIL_IF(flags & ~(unsigned)cudaDeviceMask, cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *number, const struct cudaDeviceProp *properties) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return properties ? give(number, 0) : sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_device();
    const size_t used = sim_device_bytes();
    sim_unlock_device();
    if (available) { /* the caller may want one of them, as on an H200 */
        *available = SIM_GLOBAL_BYTES - used;
    }
    if (total) {
        *total = SIM_GLOBAL_BYTES;
    }
    return cudaSuccess;
}

/* A refused launch is not reported here, as on a device. */
cudaError_t cudaDeviceSynchronize(void) {
    SIM_BEGIN_WAIT(sim_any_unfinished());
    return sim_after(earlier, sim_wait_all());
}

unsigned sim_device_resets;

/* Queued work ends first, as it does on a device whose context is destroyed. */
cudaError_t cudaDeviceReset(void) {
    SIM_BEGIN(cudaErrorLaunchFailure);
    sim_wait_all();
    sim_forget_streams();
    sim_forget_events();
    sim_lock_device();
    sim_report_device_leaks();
    sim_pools_forget();
    sim_release_device();
    sim_device_resets++;
    sim_heap_reset();
    sim_arrays_forget();
    sim_textures_forget();
    sim_unlock_device();
    return cudaSuccess;
}
