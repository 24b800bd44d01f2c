/* The runtime API's functions for the device. cuda_runtime_api.h includes it. */
#pragma once

SIM_API_VOID(cudaDeviceSynchronize)
SIM_API_VOID(cudaDeviceReset)
SIM_API(cudaSetDevice, (device), int device)
SIM_API(cudaGetDevice, (device), int *device)
SIM_API(cudaGetDeviceCount, (count), int *count)
SIM_API(cudaSetDeviceFlags, (flags), unsigned int flags)
SIM_API(cudaChooseDevice, (device, properties), int *device,
        const struct cudaDeviceProp *properties)
SIM_API(cudaGetDeviceProperties, (properties, device), struct cudaDeviceProp *properties,
        int device)
#define cudaGetDeviceProperties_v2 cudaGetDeviceProperties
SIM_API(cudaDeviceGetAttribute, (value, attribute, device), int *value,
        enum cudaDeviceAttr attribute, int device)
SIM_API(cudaMemGetInfo, (available, total), size_t *available, size_t *total)
SIM_API(cudaDriverGetVersion, (version), int *version)
SIM_API(cudaRuntimeGetVersion, (version), int *version)

/* What a program sets it gets back; only cudaLimitMallocHeapSize has an effect. */
SIM_API(cudaDeviceSetLimit, (limit, value), enum cudaLimit limit, size_t value)
SIM_API(cudaDeviceGetLimit, (value, limit), size_t *value, enum cudaLimit limit)
SIM_API(cudaDeviceSetCacheConfig, (config), enum cudaFuncCache config)
SIM_API_VOID(cudaCtxResetPersistingL2Cache)
SIM_API_VOID(cudaProfilerStart)
SIM_API_VOID(cudaProfilerStop)

/* ---- peers: there is one device */

SIM_API(cudaDeviceCanAccessPeer, (can, device, peer), int *can, int device, int peer)
SIM_API(cudaDeviceEnablePeerAccess, (peer, flags), int peer, unsigned int flags)
SIM_API(cudaDeviceDisablePeerAccess, (peer), int peer)
SIM_API(cudaDeviceGetP2PAttribute, (value, attribute, device, peer), int *value,
        enum cudaDeviceP2PAttr attribute, int device, int peer)
