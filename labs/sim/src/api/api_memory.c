/* Allocations and their addresses. */
#include "api/api.h"
#include "base/at_end.h"
#include "base/options.h"
#include "exec/fault.h"
#include "exec/hooks.h"
#include "memory/allocations.h"
#include "memory/heap.h"
#include "memory/variables.h"
#include "queue/queue.h"

#include <string.h>
#include <sys/mman.h>

static cudaError_t allocate(void **pointer, size_t bytes, enum sim_space space, unsigned flags,
                            struct sim_location location) {
    SIM_FAIL_IF(!pointer, cudaErrorInvalidValue);
    *pointer = NULL;
    if (bytes == 0) {
        return cudaSuccess;
    }
    sim_catch_faults();
    sim_lock_device();
    *pointer = sim_allocate(bytes, space, flags, location);
    sim_unlock_device();
    if (*pointer && space != SIM_DEVICE_MEMORY) {
        sim_let_host_observe(*pointer, bytes);
    }
    return *pointer ? cudaSuccess : sim_fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    return allocate(pointer, bytes, SIM_DEVICE_MEMORY, 0, location);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    SIM_FAIL_IF(!pitch, cudaErrorInvalidValue);
    SIM_FAIL_IF(height && width > SIM_GLOBAL_BYTES / height, cudaErrorMemoryAllocation);
    *pitch = (width + 511) / 512 * 512; /* the pitch of a device */
    return allocate(pointer, *pitch * height, SIM_DEVICE_MEMORY, 0, location);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    return allocate(pointer, bytes, SIM_PINNED_MEMORY, cudaHostAllocDefault, location);
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    SIM_FAIL_IF(flags != cudaMemAttachGlobal && flags != cudaMemAttachHost, cudaErrorInvalidValue);
    return allocate(pointer, bytes, SIM_MANAGED_MEMORY, flags, location);
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    SIM_FAIL_IF(flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped |
                                    cudaHostAllocWriteCombined),
                cudaErrorInvalidValue);
    return allocate(pointer, bytes, SIM_PINNED_MEMORY, flags, location);
}

void sim_name_memory(const void *pointer, const char *name) {
    sim_lock_device();
    struct sim_allocation *a = sim_allocation_at(pointer, SIM_DEVICE_MEMORY);
    if (a) {
        a->name = name;
    }
    sim_unlock_device();
}

void sim_expect_result(const void *pointer) {
    sim_lock_device();
    struct sim_allocation *a = sim_allocation_at(pointer, SIM_DEVICE_MEMORY);
    if (a) {
        a->is_result = true;
    }
    sim_unlock_device();
}

void sim_fill_unwritten(void *memory, const void *content, size_t bytes) {
    sim_lock_device();
    sim_open_to_overwrite(memory, bytes);
    memcpy(memory, content, bytes);
    sim_close_range(memory, bytes);
    sim_unlock_device();
}

int sim_place_pages(void *memory, size_t bytes, int file, size_t from) {
    char *at = memory;
    sim_lock_device();
    const struct sim_allocation *a = sim_owner(memory);
    const bool fits = a && sim_is_live_on_device(a) && !a->open &&
                      (!sim_checked || sim_options.ends) && at >= a->base &&
                      at + bytes <= a->base + a->bytes;
    void *placed = MAP_FAILED;
    if (fits) {
        placed =
            mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, (off_t)from);
    }
    sim_unlock_device();
    return placed != MAP_FAILED;
}

int sim_holds(const void *memory, const void *content, size_t bytes) {
    if (sim_options.ends) { /* it is too much to be compared */
        return true;
    }
    sim_lock_device();
    sim_open_range(memory, bytes);
    const bool same = memcmp(memory, content, bytes) == 0;
    sim_close_range(memory, bytes);
    sim_unlock_device();
    return same;
}

/* Reports why `call` cannot free `pointer`. */
static void report_bad_free(const void *pointer, const char *call, struct sim_location location) {
    const struct sim_allocation *owner = sim_owner(pointer);
    struct sim_finding finding = {
        .location = location, .call = call, .object = sim_object_of(owner)};
    if (!owner) {
        finding.found =
            sim_is_never_set((uintptr_t)pointer) ? FOUND_FREE_NEVER_SET : FOUND_FREE_UNKNOWN;
    } else if (owner->freed) {
        finding.found = FOUND_FREE_AGAIN;
    } else if (owner->base != pointer && owner->space != SIM_HEAP_MEMORY) {
        finding.found = FOUND_FREE_INSIDE;
        finding.offset = (const char *)pointer - owner->base;
    } else {
        finding.found = FOUND_FREE_OTHER_SPACE;
    }
    sim_report(&finding);
}

/* 1 + sim_calls_that_wait() when memory was last freed while the device had work; 0: never. */
static unsigned freed_early;

int sim_freed_early(void) {
    return __atomic_load_n(&freed_early, __ATOMIC_RELAXED) == sim_calls_that_wait() + 1;
}

/* Frees memory of `space`, or of `other`. Waits for all work first, as a device does; what fails
 * then, the next call tells. */
static cudaError_t release(void *pointer, enum sim_space space, enum sim_space other,
                           const char *call, struct sim_location location) {
    if (!pointer) {
        return cudaSuccess;
    }
    if (sim_any_unfinished()) {
        __atomic_store_n(&freed_early, sim_calls_that_wait() + 1, __ATOMIC_RELAXED);
    }
    sim_lock_device();
    const struct sim_allocation *known = sim_allocation_at(pointer, space);
    size_t bytes = known ? known->bytes : 0;
    sim_unlock_device();
    if (known && space != SIM_DEVICE_MEMORY) {
        sim_memory_ends(pointer, bytes, call, location);
    } else {
        sim_wait_all();
    }
    sim_lock_device();
    struct sim_allocation *a = sim_allocation_at(pointer, space);
    a = a ? a : sim_allocation_at(pointer, other);
    if (a) {
        sim_release(a);
    } else if (space != SIM_REGISTERED_MEMORY) {
        report_bad_free(pointer, call, location);
    }
    sim_unlock_device();
    return a ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaFree(void *pointer) {
    SIM_BEGIN_RELEASE();
    return sim_after(earlier,
                     release(pointer, SIM_DEVICE_MEMORY, SIM_MANAGED_MEMORY, __func__, location));
}

cudaError_t cudaFreeHost(void *pointer) {
    SIM_BEGIN_RELEASE();
    return sim_after(earlier,
                     release(pointer, SIM_PINNED_MEMORY, SIM_PINNED_MEMORY, __func__, location));
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    SIM_FAIL_IF(!pointer || bytes == 0, cudaErrorInvalidValue);
    if (sim_hooks) {
        sim_hooks->host_side(pointer, bytes, true, location);
    }
    sim_lock_device();
    bool registered = sim_register(pointer, bytes, flags, location);
    sim_unlock_device();
    if (registered) {
        sim_let_host_observe(pointer, bytes);
    }
    return registered ? cudaSuccess : sim_fail(cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void *pointer) {
    SIM_BEGIN_RELEASE();
    SIM_FAIL_IF(!pointer, cudaErrorInvalidValue);
    cudaError_t error =
        release(pointer, SIM_REGISTERED_MEMORY, SIM_REGISTERED_MEMORY, __func__, location);
    return sim_after(earlier, error == cudaSuccess ? error : cudaErrorHostMemoryNotRegistered);
}

/* The live page-locked or managed allocation that holds `pointer`, or NULL. */
static const struct sim_allocation *page_locked(const void *pointer) {
    sim_lock_device();
    const struct sim_allocation *a = sim_owner(pointer);
    sim_unlock_device();
    return a && !a->freed && a->space != SIM_DEVICE_MEMORY ? a : NULL;
}

static bool is_managed(const void *pointer) {
    const struct sim_allocation *a = page_locked(pointer);
    return sim_is_managed(pointer) || (a && a->space == SIM_MANAGED_MEMORY);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!device || flags != 0 || !page_locked(host) || is_managed(host),
                cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *pointer) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(!attributes, cudaErrorInvalidValue);
    void *same = (void *)(uintptr_t)pointer;
    sim_lock_device();
    bool device = sim_device_end(pointer) != NULL;
    sim_unlock_device();
    *attributes = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
                                                 .device = cudaInvalidDeviceId};
    if (device) {
        *attributes =
            (struct cudaPointerAttributes){.type = cudaMemoryTypeDevice, .devicePointer = same};
    } else if (is_managed(pointer) || page_locked(pointer)) {
        *attributes = (struct cudaPointerAttributes){
            .type = is_managed(pointer) ? cudaMemoryTypeManaged : cudaMemoryTypeHost,
            .devicePointer = same,
            .hostPointer = same};
    }
    return cudaSuccess;
}

static void report_leaks(void) {
    sim_report_leaks();
    if (sim_sticky() == cudaSuccess) { /* a lost device cannot free anything */
        sim_heap_report_leaks();
    }
}
SIM_AT_END(report_leaks);
