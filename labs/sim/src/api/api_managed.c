/* Managed memory: where a program wants it. The host and the device of the simulator share one
 * memory, so that advice and prefetching change nothing. */
#include "api/api.h"
#include "memory/allocations.h"
#include "memory/variables.h"
#include "queue/queue.h"

static struct sim_advice of_variables; /* of all __managed__ variables together */

/* The advice for managed memory that holds all of the range, or NULL. Hold the device's lock. */
static struct sim_advice *advice_for(const void *pointer, size_t bytes) {
    const char *at = pointer;
    if (sim_is_managed(pointer)) {
        return bytes <= (size_t)(__stop_sim_managed - at) ? &of_variables : NULL;
    }
    struct sim_allocation *a = (struct sim_allocation *)(uintptr_t)sim_owner(pointer);
    bool inside = a && !a->freed && a->space == SIM_MANAGED_MEMORY && at >= a->base &&
                  bytes <= (size_t)(a->base + a->bytes - at) && at < a->base + a->bytes;
    return inside ? &a->advice : NULL;
}

static cudaError_t check_location(struct cudaMemLocation location) {
    switch (location.type) {
    case cudaMemLocationTypeDevice:
        return location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNumaCurrent:
        return cudaSuccess;
    case cudaMemLocationTypeHostNuma:
        return location.id == 0 ? cudaSuccess : cudaErrorInvalidValue;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation to,
                                 unsigned int flags, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    cudaError_t error = check_location(to);
    SIM_FAIL_IF(error != cudaSuccess || !pointer || bytes == 0 || flags != 0,
                error != cudaSuccess ? error : cudaErrorInvalidValue);
    SIM_FAIL_IF(!sim_is_stream(stream), cudaErrorInvalidResourceHandle);
    sim_lock_device();
    struct sim_advice *advice = advice_for(pointer, bytes);
    if (advice) {
        advice->prefetched = to;
    }
    sim_unlock_device();
    return advice ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}

static void advise(struct sim_advice *a, enum cudaMemoryAdvise advice,
                   struct cudaMemLocation location) {
    bool set = advice == cudaMemAdviseSetAccessedBy;
    switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
        a->read_mostly = advice == cudaMemAdviseSetReadMostly;
        break;
    case cudaMemAdviseSetPreferredLocation:
        a->preferred = location;
        break;
    case cudaMemAdviseUnsetPreferredLocation:
        a->preferred = (struct cudaMemLocation){cudaMemLocationTypeNone, 0};
        break;
    case cudaMemAdviseSetAccessedBy:
    case cudaMemAdviseUnsetAccessedBy:
        *(location.type == cudaMemLocationTypeDevice ? &a->by_device : &a->by_host) = set;
        break;
    }
}

cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation where) {
    SIM_BEGIN(cudaErrorInvalidValue);
    bool needs_place = advice == cudaMemAdviseSetPreferredLocation ||
                       advice == cudaMemAdviseSetAccessedBy ||
                       advice == cudaMemAdviseUnsetAccessedBy;
    cudaError_t error = needs_place ? check_location(where) : cudaSuccess;
    bool known = advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy;
    SIM_FAIL_IF(error != cudaSuccess || !known || bytes == 0,
                error != cudaSuccess ? error : cudaErrorInvalidValue);
    sim_lock_device();
    struct sim_advice *a = advice_for(pointer, bytes);
    if (a) {
        advise(a, advice, where);
    }
    sim_unlock_device();
    return a ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}

/* A location as one number: a device, cudaCpuDeviceId or cudaInvalidDeviceId. */
static int number_of(struct cudaMemLocation location) {
    return location.type == cudaMemLocationTypeNone     ? cudaInvalidDeviceId
           : location.type == cudaMemLocationTypeDevice ? location.id
                                                        : cudaCpuDeviceId;
}

/* Writes `count` numbers: the devices that access it, then cudaInvalidDeviceId. */
static void write_accessors(int *data, size_t count, const struct sim_advice *a) {
    size_t written = 0;
    if (a->by_device && written < count) {
        data[written++] = 0;
    }
    if (a->by_host && written < count) {
        data[written++] = cudaCpuDeviceId;
    }
    while (written < count) {
        data[written++] = cudaInvalidDeviceId;
    }
}

static bool write_attribute(int *data, size_t size, enum cudaMemRangeAttribute attribute,
                            const struct sim_advice *a) {
    if (attribute == cudaMemRangeAttributeAccessedBy) {
        write_accessors(data, size / sizeof *data, a);
        return size >= sizeof *data && size % sizeof *data == 0;
    }
    if (size != sizeof *data) {
        return false;
    }
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
        *data = a->read_mostly;
        return true;
    case cudaMemRangeAttributePreferredLocation:
        *data = number_of(a->preferred);
        return true;
    case cudaMemRangeAttributeLastPrefetchLocation:
        *data = number_of(a->prefetched);
        return true;
    case cudaMemRangeAttributePreferredLocationType:
        *data = (int)a->preferred.type;
        return true;
    case cudaMemRangeAttributePreferredLocationId:
        *data = a->preferred.id;
        return true;
    case cudaMemRangeAttributeLastPrefetchLocationType:
        *data = (int)a->prefetched.type;
        return true;
    case cudaMemRangeAttributeLastPrefetchLocationId:
        *data = a->prefetched.id;
        return true;
    default:
        return false;
    }
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                     const void *pointer, size_t bytes) {
    SIM_BEGIN(cudaErrorInvalidValue);
    sim_lock_device();
    const struct sim_advice *a = advice_for(pointer, bytes);
    bool written = data && a && write_attribute(data, size, attribute, a);
    sim_unlock_device();
    return written ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes,
                                      enum cudaMemRangeAttribute *attributes, size_t count,
                                      const void *pointer, size_t bytes) {
    SIM_BEGIN(cudaErrorInvalidValue);
    bool written = data && sizes && attributes && count > 0;
    sim_lock_device();
    const struct sim_advice *a = advice_for(pointer, bytes);
    for (size_t i = 0; written && i < count; i++) {
        written = a && data[i] && write_attribute(data[i], sizes[i], attributes[i], a);
    }
    sim_unlock_device();
    return written ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}

/* The device accesses managed memory at any time, whatever stream it is attached to. */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes,
                                     unsigned int flags) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!sim_is_stream(stream), cudaErrorInvalidResourceHandle);
    bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost ||
                 (flags == cudaMemAttachSingle && stream);
    sim_lock_device();
    bool managed = advice_for(pointer, bytes) != NULL;
    sim_unlock_device();
    return known && managed ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}
