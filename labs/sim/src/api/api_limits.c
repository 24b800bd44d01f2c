/* Limits and preferences of the device, and its peers. */
#include "api/api.h"
#include "base/limits.h"

enum { PERSISTING_L2 = 39321600 }; /* bytes of the L2 cache that may be set aside */

/* The error for a limit that this device does not have, as an H200 answers. */
static cudaError_t check(enum cudaLimit limit) {
    if (limit ==
        cudaLimitDevRuntimeSyncDepth) { /* no device of today waits for launches of its own */
        return cudaErrorUnsupportedLimit;
    }
    return (unsigned)limit < SIM_LIMITS ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    SIM_BEGIN(cudaErrorInvalidValue);
    enum { DRIVERS_OWN = 7 }; /* the driver's limit of shared memory, for which CUDA has no name */
    cudaError_t error = (int)limit == DRIVERS_OWN ? cudaErrorNotPermitted : check(limit);
    SIM_FAIL_IF(error != cudaSuccess, error);
    bool too_large = value > SIM_GLOBAL_BYTES ||
                     (limit == cudaLimitPersistingL2CacheSize && value > PERSISTING_L2) ||
                     (limit == cudaLimitMaxL2FetchGranularity && value > 128);
    SIM_FAIL_IF(too_large, cudaErrorInvalidValue);
    sim_limits[limit] = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!value, cudaErrorInvalidValue);
    cudaError_t error = check(limit);
    SIM_FAIL_IF(error != cudaSuccess, error);
    *value = sim_limits[limit];
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF((unsigned)config > cudaFuncCachePreferEqual, cudaErrorInvalidValue);
    return cudaSuccess;
}

/* The banks of shared memory have a fixed width on an H200: a preference has no effect. */
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return (unsigned)config <= cudaSharedMemBankSizeEightByte ? cudaSuccess
                                                              : sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!config, cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaProfilerStart(void) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return cudaSuccess;
}

/* ---- peers: there is one device, and a device is no peer of its own */

cudaError_t cudaDeviceCanAccessPeer(int *can, int number, int peer) {
    SIM_BEGIN(cudaErrorInvalidDevice);
    SIM_FAIL_IF(!can, cudaErrorInvalidValue);
    SIM_FAIL_IF(number != 0 || peer != 0, cudaErrorInvalidDevice);
    *can = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
    SIM_BEGIN(cudaErrorInvalidDevice);
    SIM_FAIL_IF(flags, cudaErrorInvalidValue);
    return sim_fail(peer == 0 ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    SIM_BEGIN(cudaErrorInvalidDevice);
    return sim_fail(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int number,
                                      int peer) {
    SIM_BEGIN(cudaErrorInvalidDevice);
    (void)attribute, (void)number, (void)peer;
    return sim_fail(value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
}

/* ---- the older names */

cudaError_t cudaThreadSynchronize(void) {
    return cudaDeviceSynchronize();
}
