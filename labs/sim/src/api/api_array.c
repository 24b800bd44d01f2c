/* CUDA arrays: allocation and what they are. The largest extents are those of an H200. */
#include "api/api.h"
#include "exec/fault.h"
#include "memory/array.h"
#include "queue/queue.h"

static bool is_within(struct cudaExtent e, size_t width, size_t height, size_t depth) {
    return e.width <= width && e.height <= height && e.depth <= depth;
}

/* Can the device have an array of this extent and these flags? */
static bool is_valid(struct cudaExtent e, unsigned flags) {
    bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
    if (e.width == 0 || (e.depth > 0 && e.height == 0 && !layered)) {
        return false;
    }
    if (flags & cudaArrayTextureGather && (e.height == 0 || (e.depth > 0 && !layered))) {
        return false;
    }
    if (cube) {
        size_t faces = layered ? e.depth % 6 : e.depth - 6;
        return e.width == e.height && e.depth > 0 && faces == 0 && is_within(e, 32768, 32768, 2046);
    }
    if (layered) {
        return e.depth > 0 && is_within(e, 32768, 32768, 2048);
    }
    if (e.depth > 0) {
        return is_within(e, 16384, 16384, 16384);
    }
    if (flags & cudaArrayTextureGather) {
        return is_within(e, 32768, 32768, 0);
    }
    return is_within(e, 131072, 65536, 0);
}

static cudaError_t check(const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
                         unsigned flags) {
    if (sim_element_bytes(*format) == 0) {
        return cudaErrorInvalidChannelDescriptor;
    }
    return is_valid(extent, flags) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t allocate(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                            struct cudaExtent extent, unsigned flags,
                            struct sim_location location) {
    SIM_FAIL_IF(!array || !format, cudaErrorInvalidValue);
    cudaError_t refused = check(format, extent, flags);
    SIM_FAIL_IF(refused != cudaSuccess, refused);
    sim_catch_faults();
    sim_lock_device();
    *array = sim_array_create(*format, extent, flags, location);
    sim_unlock_device();
    return *array ? cudaSuccess : sim_fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                            size_t width, size_t height, unsigned int flags) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    SIM_FAIL_IF(flags & (cudaArrayLayered | cudaArrayCubemap), cudaErrorInvalidValue);
    return allocate(array, format, (struct cudaExtent){width, height, 0}, flags, location);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned int flags) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    return allocate(array, format, extent, flags, location);
}

static bool is_live(const struct cudaArray *array) {
    return sim_is_array(array) && !array->freed;
}

/* Reports a second cudaFreeArray(), or one of something else. */
static void report_bad_free(const struct cudaArray *array, const char *call,
                            struct sim_location location) {
    struct sim_finding finding = {.found = FOUND_FREE_NO_ARRAY, .location = location, .call = call};
    if (sim_is_array(array)) {
        finding.found = FOUND_FREE_ARRAY_AGAIN;
        finding.place = array->freed_at;
    }
    sim_report(&finding);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    SIM_BEGIN_RELEASE();
    if (!array) {
        return sim_after(earlier, cudaSuccess);
    }
    sim_wait_all(); /* as cudaFree() does */
    sim_lock_device();
    bool ours = is_live(array);
    if (ours) {
        sim_array_free(array, location);
    } else {
        report_bad_free(array, __func__, location);
    }
    sim_unlock_device();
    return sim_after(earlier, ours ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_device();
    bool live = is_live(array);
    sim_unlock_device();
    SIM_FAIL_IF(!live, cudaErrorInvalidResourceHandle);
    if (format) {
        *format = array->format;
    }
    if (extent) {
        *extent = array->extent;
    }
    if (flags) {
        *flags = array->flags;
    }
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_device();
    bool live = is_live(array);
    sim_unlock_device();
    SIM_FAIL_IF(!live, cudaErrorInvalidResourceHandle);
    SIM_FAIL_IF(!format, cudaErrorInvalidValue);
    *format = array->format;
    return cudaSuccess;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f) {
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
