/* The attributes of kernels, and how many blocks of them fit on the device. */
#include "api/api.h"
#include "api/launch.h"
#include "base/code.h"
#include "base/limits.h"
#include "base/occupancy.h"
#include "memory/allocations.h"

/* The dynamic shared memory that a block of the kernel may use. Hold the device's lock. */
static size_t dynamic_limit(const struct sim_kernel *k) {
    return k && k->dynamic_limit ? k->dynamic_limit : SIM_BLOCK_SHARED - (k ? k->static_shared : 0);
}

/* Sets what the kernel's record keeps; false if the value is out of range. Hold the device's lock.
 */
static bool set_attribute(struct sim_kernel *k, enum cudaFuncAttribute attribute, int value) {
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || (size_t)value + k->static_shared > sim_shared_optin) {
            return false;
        }
        k->dynamic_limit = (size_t)value;
        sim_any_opted_in = true;
        return true;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared) {
            return false;
        }
        k->carveout = value + 1;
        return true;
    default: /* clusters */
        return false;
    }
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute,
                                 int value) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!sim_is_code(function), cudaErrorInvalidResourceHandle);
    sim_lock_device();
    struct sim_kernel *k = sim_kernel_of(function);
    bool fits = k && set_attribute(k, attribute, value);
    sim_unlock_device();
    return fits ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!attributes, cudaErrorInvalidValue);
    SIM_FAIL_IF(!sim_is_code(function), cudaErrorInvalidResourceHandle);
    sim_lock_device();
    const struct sim_kernel *k = sim_kernel_of(function);
    size_t fixed = k ? k->static_shared : 0, dynamic = dynamic_limit(k);
    int carveout = k ? k->carveout - 1 : cudaSharedmemCarveoutDefault;
    int threads = k && k->most_threads ? k->most_threads : SIM_MAX_THREADS;
    sim_unlock_device();
    *attributes = (struct cudaFuncAttributes){.sharedSizeBytes = fixed,
                                              .maxThreadsPerBlock = threads,
                                              .ptxVersion = 90,
                                              .binaryVersion = 90,
                                              .maxDynamicSharedSizeBytes = (int)dynamic,
                                              .preferredShmemCarveout = carveout};
    return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache config) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return kernel && (unsigned)config <= cudaFuncCachePreferEqual ? cudaSuccess
                                                                  : sim_fail(cudaErrorInvalidValue);
}

/* Shared memory has banks of 4 bytes on an H200: a preference has no effect. */
cudaError_t cudaFuncSetSharedMemConfig(const void *kernel, enum cudaSharedMemConfig config) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return kernel && (unsigned)config <= cudaSharedMemBankSizeEightByte
               ? cudaSuccess
               : sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t shared) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!blocks || threads <= 0, cudaErrorInvalidValue);
    sim_lock_device();
    const struct sim_kernel *k = sim_kernel_of(kernel);
    size_t fixed = k ? k->static_shared : 0, limit = dynamic_limit(k);
    sim_unlock_device();
    bool never = threads > SIM_MAX_THREADS || shared > limit;
    *blocks = never ? 0 : sim_blocks_that_fit(threads, shared + fixed);
    return cudaSuccess;
}

cudaError_t sim_best_block(int *grid, int *block, size_t (*shared)(const void *, int),
                           const void *closure, int limit) {
    SIM_FAIL_IF(!grid || !block, cudaErrorInvalidValue);
    int largest = limit > 0 && limit < SIM_MAX_THREADS ? limit : SIM_MAX_THREADS;
    int best = 0;
    for (int threads = largest; threads > 0; threads -= SIM_WARP_SIZE) {
        size_t bytes = shared(closure, threads);
        int blocks = bytes <= sim_shared_optin ? sim_blocks_that_fit(threads, bytes) : 0;
        if (blocks * threads > best) {
            best = blocks * threads;
            *block = threads;
            *grid = blocks * SIM_MULTIPROCESSORS;
        }
    }
    return best > 0 ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}
