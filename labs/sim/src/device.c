#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

cudaError_t sim_occupancy(int *blocks, int threads, size_t shared);

struct sim_stream {
    unsigned flags;
};

struct sim_event {
    bool recorded;
    struct timespec time;
};

/* The device that the simulator stands for: the one that its counters were checked against. */
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
    if (!properties) {
        return sim_fail(cudaErrorInvalidValue);
    }
    if (device != 0) {
        return sim_fail(cudaErrorInvalidDevice);
    }
    *properties = (struct cudaDeviceProp){
        .name = "NVIDIA H200 (simulated)",
        .totalGlobalMem = (size_t)141 << 30,
        .sharedMemPerBlock = SIM_STATIC_SHARED,
        .regsPerBlock = 65536,
        .warpSize = SIM_WARP,
        .maxThreadsPerBlock = SIM_MAX_THREADS,
        .maxThreadsDim = {1024, 1024, 64},
        .maxGridSize = {2147483647, 65535, 65535},
        .totalConstMem = 65536,
        .major = 9,
        .minor = 0,
        .multiProcessorCount = 132,
        .maxThreadsPerMultiProcessor = 2048,
        .sharedMemPerMultiprocessor = (size_t)228 * 1024,
        .sharedMemPerBlockOptin = SIM_MAX_SHARED,
        .l2CacheSize = 60 << 20,
        .concurrentKernels = 1,
        .asyncEngineCount = 3,
        .unifiedAddressing = 1,
        .canMapHostMemory = 1,
        .memoryBusWidth = 6144,
    };
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    struct cudaDeviceProp p;
    cudaError_t error = value ? cudaGetDeviceProperties(&p, device) : cudaErrorInvalidValue;
    if (error != cudaSuccess) {
        return sim_fail(error);
    }
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        *value = p.maxThreadsPerBlock;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = (int)p.sharedMemPerBlock;
        return cudaSuccess;
    case cudaDevAttrTotalConstantMemory:
        *value = (int)p.totalConstMem;
        return cudaSuccess;
    case cudaDevAttrWarpSize:
        *value = p.warpSize;
        return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
        *value = p.multiProcessorCount;
        return cudaSuccess;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = p.maxThreadsPerMultiProcessor;
        return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
        *value = p.major;
        return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
        *value = p.minor;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = (int)p.sharedMemPerBlockOptin;
        return cudaSuccess;
    }
    return sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaSetDevice(int device) {
    return device == 0 ? cudaSuccess : sim_fail(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDevice(int *device) {
    if (!device) {
        return sim_fail(cudaErrorInvalidValue);
    }
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
    if (!count) {
        return sim_fail(cudaErrorInvalidValue);
    }
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    if (!available || !total) {
        return sim_fail(cudaErrorInvalidValue);
    }
    *available = *total = (size_t)141 << 30;
    return cudaSuccess;
}

static cudaError_t version(int *out) {
    if (!out) {
        return sim_fail(cudaErrorInvalidValue);
    }
    *out = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *out) {
    return version(out);
}

cudaError_t cudaRuntimeGetVersion(int *out) {
    return version(out);
}

/* Kernels are finished when their launch returns: all that is left is a lost device. A launch that
 * was refused is not seen here, as on the device: only cudaGetLastError() tells. */
cudaError_t cudaDeviceSynchronize(void) {
    return sim_injected("cudaDeviceSynchronize") ? sim_fail(cudaErrorLaunchFailure) : sim_sticky();
}

cudaError_t cudaDeviceReset(void) {
    sim_release_all();
    return cudaSuccess;
}

/* How many blocks fit a multiprocessor by threads and shared memory; registers are not known. */
cudaError_t sim_occupancy(int *blocks, int threads, size_t shared) {
    if (!blocks || threads < 1 || threads > SIM_MAX_THREADS) {
        return sim_fail(cudaErrorInvalidValue);
    }
    int warps = (threads + SIM_WARP - 1) / SIM_WARP;
    int by_threads = 64 / warps, by_shared = (int)((size_t)228 * 1024 / (shared + 1024));
    int most = by_threads < by_shared ? by_threads : by_shared;
    *blocks = most < 32 ? most : 32;
    return cudaSuccess;
}

/* ---- streams: their work is done when it is asked for, hence always in order */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
    if (!stream) {
        return sim_fail(cudaErrorInvalidValue);
    }
    *stream = calloc(1, sizeof **stream);
    if (!*stream) {
        return sim_fail(cudaErrorMemoryAllocation);
    }
    (*stream)->flags = flags;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    (void)stream;
    return sim_sticky();
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    (void)stream;
    return sim_sticky();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    (void)stream;
    (void)flags;
    return event ? sim_sticky() : sim_fail(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (!stream) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    free(stream);
    return cudaSuccess;
}

/* ---- events: the host's own clock */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
    (void)flags;
    if (!event) {
        return sim_fail(cudaErrorInvalidValue);
    }
    *event = calloc(1, sizeof **event);
    return *event ? cudaSuccess : sim_fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    (void)stream;
    if (!event) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    event->recorded = true;
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return event ? sim_sticky() : sim_fail(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return event ? sim_sticky() : sim_fail(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    if (!milliseconds) {
        return sim_fail(cudaErrorInvalidValue);
    }
    if (!start || !end || !start->recorded || !end->recorded) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    *milliseconds = (float)((double)(end->time.tv_sec - start->time.tv_sec) * 1e3 +
                            (double)(end->time.tv_nsec - start->time.tv_nsec) * 1e-6);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (!event) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    free(event);
    return cudaSuccess;
}
