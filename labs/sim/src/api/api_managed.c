/* Managed memory: where a program wants it. The host and the device of the simulator share one
 * memory, so that advice and prefetching change nothing. */
#include "api/api.h"
#include "memory/allocations.h"
#include "memory/variables.h"
#include "queue/queue.h"

/* Does managed memory, of one allocation or of variables, hold all of the range? */
static bool is_managed(const void *pointer, size_t bytes) {
    const char *at = pointer;
    if (sim_is_managed(pointer)) {
        return bytes <= (size_t)(__stop_sim_managed - at);
    }
    sim_lock_device();
    const struct sim_allocation *a = sim_owner(pointer);
    bool inside = a && !a->freed && a->space == SIM_MANAGED_MEMORY && at >= a->base &&
                  at < a->base + a->bytes && bytes <= (size_t)(a->base + a->bytes - at);
    sim_unlock_device();
    return inside;
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
    return is_managed(pointer, bytes) ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
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
    return is_managed(pointer, bytes) ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}

/* The device accesses managed memory at any time, whatever stream it is attached to. */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes,
                                     unsigned int flags) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!sim_is_stream(stream), cudaErrorInvalidResourceHandle);
    bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost ||
                 (flags == cudaMemAttachSingle && stream);
    return known && is_managed(pointer, bytes) ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}
