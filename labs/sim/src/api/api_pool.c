/* Memory in the order of a stream. An allocation has its address at once; the device frees it when
 * its stream reaches cudaFreeAsync(). */
#include "api/api.h"
#include "exec/fault.h"
#include "memory/allocations.h"
#include "memory/pool.h"
#include "queue/queue.h"

/* A step of the memory's life, which is queued so that checks see its order against other streams.
 */
static struct sim_operation step(enum sim_operation_kind kind, void *const *pointer, size_t bytes,
                                 const char *name, struct sim_location location) {
    return (struct sim_operation){.kind = kind,
                                  .name = name,
                                  .location = location,
                                  .closure = pointer,
                                  .closure_bytes = sizeof *pointer,
                                  .ranges = {{*pointer, bytes, bytes, 1, true}},
                                  .range_count = 1};
}

/* The memory of a graph that starts there, live or freed: a launch may allocate it again. */
static struct sim_allocation *of_graph(void *pointer) {
    struct sim_allocation *a = (struct sim_allocation *)(uintptr_t)sim_owner(pointer);
    return a && a->of_graph && a->base == pointer ? a : NULL;
}

static void allocate_again(void *closure) {
    void *const *pointer = closure;
    struct sim_allocation *a = of_graph(*pointer);
    if (a && !sim_allocate_again(a)) {
        sim_fail_for_good(cudaErrorMemoryAllocation);
    }
}

static void leave_graph(void *closure) {
    void *const *pointer = closure;
    sim_lock_device();
    struct sim_allocation *a = of_graph(*pointer);
    if (a) {
        sim_leave_graph(a);
    }
    sim_unlock_device();
}

static cudaError_t allocate(void **pointer, size_t bytes, struct sim_pool *pool,
                            cudaStream_t stream, const char *name, struct sim_location location) {
    SIM_FAIL_IF(!pointer, cudaErrorInvalidValue);
    *pointer = NULL;
    SIM_FAIL_IF(!sim_is_stream(stream), cudaErrorInvalidResourceHandle);
    if (bytes == 0) {
        return cudaSuccess;
    }
    sim_catch_faults();
    const bool captured = sim_capture_of(stream) != NULL;
    sim_lock_device();
    pool = pool ? pool : sim_current_pool;
    bool known = sim_is_pool(pool);
    if (known && sim_pool_take(pool, bytes)) {
        *pointer = sim_allocate(bytes, SIM_DEVICE_MEMORY, 0, location);
        struct sim_allocation *a = sim_allocation_at(*pointer, SIM_DEVICE_MEMORY);
        if (a && !captured) {
            a->pool = pool;
        } else {
            sim_pool_give_back(pool, bytes); /* the memory of graphs is not that of a pool */
        }
        if (a) {
            a->of_graph = captured;
        }
    }
    sim_unlock_device();
    SIM_FAIL_IF(!*pointer, known ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
    struct sim_operation operation = step(SIM_OP_ALLOCATE, pointer, bytes, name, location);
    if (captured) {
        operation.run = allocate_again;
        operation.destroy = leave_graph;
    }
    cudaError_t error = sim_enqueue(stream, &operation);
    if (error != cudaSuccess && captured) {
        leave_graph(pointer);
    }
    return error;
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    return allocate(pointer, bytes, NULL, stream, __func__, location);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    return pool ? allocate(pointer, bytes, pool, stream, __func__, location)
                : sim_fail(cudaErrorInvalidValue);
}

static void free_memory(void *closure) {
    void *const *pointer = closure;
    struct sim_allocation *a = sim_allocation_at(*pointer, SIM_DEVICE_MEMORY);
    if (a) {
        sim_release(a);
    }
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    SIM_BEGIN_RELEASE();
    SIM_FAIL_IF(!sim_is_stream(stream), cudaErrorInvalidResourceHandle);
    if (!pointer) {
        return sim_after(earlier, cudaSuccess);
    }
    const bool captured = sim_capture_of(stream) != NULL;
    sim_lock_device();
    struct sim_allocation *a = captured ? of_graph(pointer) : NULL;
    bool again = false;
    if (!a) {
        const struct sim_allocation *owner = sim_owner(pointer);
        a = sim_allocation_at(pointer, SIM_DEVICE_MEMORY);
        again = (a && a->is_free_queued) || (owner && owner->freed);
        if (a) {
            a->is_free_queued = true; /* also memory of cudaMalloc(), as on an H200 */
        }
    }
    size_t bytes = a ? a->bytes : 0;
    sim_unlock_device();
    if (!a || again) {
        sim_report(
            &(struct sim_finding){.found = again ? FOUND_FREE_ASYNC_AGAIN : FOUND_FREE_ASYNC_OTHER,
                                  .location = location});
        return sim_fail(cudaErrorInvalidValue);
    }
    struct sim_operation operation = step(SIM_OP_FREE, &pointer, bytes, __func__, location);
    operation.run = free_memory;
    return sim_after(earlier, sim_enqueue(stream, &operation));
}

/* ---- pools */

static cudaError_t give(cudaMemPool_t *to, struct sim_pool *pool, int number) {
    SIM_FAIL_IF(!to, cudaErrorInvalidValue);
    SIM_FAIL_IF(number != 0, cudaErrorInvalidDevice);
    *to = pool;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int number) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return give(pool, &sim_default_pool, number);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int number) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return give(pool, sim_current_pool, number);
}

/* cudaSuccess if the pool exists. */
static cudaError_t look_up(cudaMemPool_t pool) {
    sim_lock_device();
    bool known = sim_is_pool(pool);
    sim_unlock_device();
    return known ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSetMemPool(int number, cudaMemPool_t pool) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(number != 0, cudaErrorInvalidDevice);
    cudaError_t error = look_up(pool);
    if (error == cudaSuccess) {
        sim_current_pool = pool;
    }
    return error;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    SIM_FAIL_IF(!pool || !properties || properties->allocType != cudaMemAllocationTypePinned ||
                    properties->location.type != cudaMemLocationTypeDevice ||
                    properties->location.id != 0,
                cudaErrorInvalidValue);
    SIM_FAIL_IF(properties->handleTypes != cudaMemHandleTypeNone,
                cudaErrorNotSupported); /* other processes */
    sim_lock_device();
    *pool = sim_pool_create(properties->maxSize, location);
    sim_unlock_device();
    return *pool ? cudaSuccess : sim_fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    SIM_BEGIN_RELEASE();
    cudaError_t error = look_up(pool);
    SIM_FAIL_IF(error != cudaSuccess || pool == &sim_default_pool, cudaErrorInvalidValue);
    sim_lock_device();
    sim_pool_destroy(pool);
    sim_unlock_device();
    return sim_after(earlier, cudaSuccess);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) {
    SIM_BEGIN(cudaErrorInvalidValue);
    cudaError_t error = look_up(pool);
    if (error == cudaSuccess) {
        sim_lock_device();
        sim_pool_trim(pool, bytes);
        sim_unlock_device();
    }
    return error;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value) {
    SIM_BEGIN(cudaErrorInvalidValue);
    cudaError_t error = value ? look_up(pool) : sim_fail(cudaErrorInvalidValue);
    if (error != cudaSuccess) {
        return error;
    }
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        pool->reuse[attribute - 1] = *(const int *)value;
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        pool->threshold = *(const uint64_t *)value;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        SIM_FAIL_IF(*(const uint64_t *)value != 0, cudaErrorInvalidValue);
        if (attribute == cudaMemPoolAttrUsedMemHigh) {
            pool->used_most = pool->used;
        } else {
            pool->kept_most = pool->kept;
        }
        return cudaSuccess;
    default:
        return sim_fail(cudaErrorInvalidValue);
    }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value) {
    SIM_BEGIN(cudaErrorInvalidValue);
    cudaError_t error = value ? look_up(pool) : sim_fail(cudaErrorInvalidValue);
    if (error != cudaSuccess) {
        return error;
    }
    uint64_t *bytes = value;
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        *(int *)value = pool->reuse[attribute - 1];
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        *bytes = pool->threshold;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
        sim_pool_trim(pool, pool->threshold); /* as an idle device does */
        *bytes = pool->kept;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
        *bytes = pool->kept_most;
        return cudaSuccess;
    case cudaMemPoolAttrUsedMemCurrent:
        *bytes = pool->used;
        return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
        *bytes = pool->used_most;
        return cudaSuccess;
    default:
        return sim_fail(cudaErrorInvalidValue);
    }
}

/* The only device always has access. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                 size_t count) {
    SIM_BEGIN(cudaErrorInvalidValue);
    cudaError_t error = list || count == 0 ? look_up(pool) : sim_fail(cudaErrorInvalidValue);
    for (size_t i = 0; error == cudaSuccess && i < count; i++) {
        SIM_FAIL_IF(list[i].location.type != cudaMemLocationTypeDevice || list[i].location.id != 0,
                    cudaErrorInvalidDevice);
        SIM_FAIL_IF(list[i].flags != cudaMemAccessFlagsProtReadWrite, cudaErrorInvalidValue);
    }
    return error;
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location_asked) {
    SIM_BEGIN(cudaErrorInvalidValue);
    cudaError_t error = flags && location_asked ? look_up(pool) : sim_fail(cudaErrorInvalidValue);
    if (error != cudaSuccess) {
        return error;
    }
    bool here = location_asked->type == cudaMemLocationTypeDevice && location_asked->id == 0;
    *flags = here ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
}
