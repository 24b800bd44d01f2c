/* Allocations, copies and fills. */
#include "api/api.h"
#include "exec/fault.h"
#include "exec/hooks.h"
#include "memory/allocations.h"
#include "memory/variables.h"

#include <string.h>

static cudaError_t allocate(void **pointer, size_t bytes, enum sim_space space, unsigned flags,
                            struct sim_location location) {
    if (!pointer) {
        return sim_fail(cudaErrorInvalidValue);
    }
    *pointer = NULL;
    if (bytes == 0) {
        return cudaSuccess;
    }
    sim_catch_faults();
    sim_lock_device();
    *pointer = sim_allocate(bytes, space, flags, location);
    sim_unlock_device();
    return *pointer ? cudaSuccess : sim_fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    return allocate(pointer, bytes, SIM_DEVICE_MEMORY, 0, location);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    if (!pitch) {
        return sim_fail(cudaErrorInvalidValue);
    }
    if (height && width > SIM_GLOBAL_BYTES / height) {
        return sim_fail(cudaErrorMemoryAllocation);
    }
    *pitch = (width + 511) / 512 * 512; /* the pitch of a device */
    return allocate(pointer, *pitch * height, SIM_DEVICE_MEMORY, 0, location);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    return allocate(pointer, bytes, SIM_PINNED_MEMORY, cudaHostAllocDefault, location);
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    if (flags &
        ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)) {
        return sim_fail(cudaErrorInvalidValue);
    }
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

/* Reports why `call` cannot free `pointer`. */
static void report_bad_free(const void *pointer, const char *call, struct sim_location location) {
    const struct sim_allocation *owner = sim_owner(pointer);
    struct sim_finding finding = {.kind = "wrong-space", .location = location};
    if (!owner) {
        sim_report(&finding, "%s() of a pointer that no allocation returned", call);
    } else if (owner->freed) {
        finding.kind = "use-after-free";
        char array[160];
        sim_describe_allocation(owner, array, sizeof array);
        sim_report(&finding, "%s() of memory that was already freed (%s)", call, array);
    } else if (owner->base != pointer) {
        sim_report(
            &finding,
            "%s() of an address %td bytes after the start of its allocation: pass the pointer "
            "that the allocation returned",
            call, (const char *)pointer - owner->base);
    } else {
        sim_report(&finding, "%s() of %s memory: use %s()", call,
                   owner->space == SIM_DEVICE_MEMORY ? "device" : "page-locked host",
                   owner->space == SIM_DEVICE_MEMORY ? "cudaFree" : "cudaFreeHost");
    }
}

static cudaError_t release(void *pointer, enum sim_space space, const char *call,
                           struct sim_location location) {
    if (!pointer) {
        return cudaSuccess;
    }
    sim_lock_device();
    struct sim_allocation *a = sim_allocation_at(pointer, space);
    if (a) {
        sim_release(a);
    } else {
        report_bad_free(pointer, call, location);
    }
    sim_unlock_device();
    return a ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaFree(void *pointer) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return release(pointer, SIM_DEVICE_MEMORY, __func__, location);
}

cudaError_t cudaFreeHost(void *pointer) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return release(pointer, SIM_PINNED_MEMORY, __func__, location);
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags) {
    SIM_BEGIN(cudaErrorMemoryAllocation);
    if (!pointer || bytes == 0) {
        return sim_fail(cudaErrorInvalidValue);
    }
    sim_lock_device();
    bool registered = sim_register(pointer, bytes, flags, location);
    sim_unlock_device();
    return registered ? cudaSuccess : sim_fail(cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void *pointer) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (!pointer) {
        return sim_fail(cudaErrorInvalidValue);
    }
    sim_lock_device();
    struct sim_allocation *a = sim_allocation_at(pointer, SIM_REGISTERED_MEMORY);
    if (a) {
        sim_release(a);
    }
    sim_unlock_device();
    return a ? cudaSuccess : sim_fail(cudaErrorHostMemoryNotRegistered);
}

/* The live page-locked allocation that holds `pointer`, or NULL. */
static const struct sim_allocation *page_locked(const void *pointer) {
    sim_lock_device();
    const struct sim_allocation *a = sim_owner(pointer);
    sim_unlock_device();
    return a && !a->freed && a->space != SIM_DEVICE_MEMORY ? a : NULL;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (!device || flags != 0 || !page_locked(host)) {
        return sim_fail(cudaErrorInvalidValue);
    }
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host) {
    SIM_BEGIN(cudaErrorInvalidValue);
    const struct sim_allocation *a = page_locked(host);
    if (!flags || !a) {
        return sim_fail(cudaErrorInvalidValue);
    }
    *flags = a->flags;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *pointer) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (!attributes) {
        return sim_fail(cudaErrorInvalidValue);
    }
    void *same = (void *)(uintptr_t)pointer;
    sim_lock_device();
    bool device = sim_device_end(pointer) != NULL;
    sim_unlock_device();
    *attributes = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered, .device = -2};
    if (device) {
        *attributes =
            (struct cudaPointerAttributes){.type = cudaMemoryTypeDevice, .devicePointer = same};
    } else if (page_locked(pointer)) {
        *attributes = (struct cudaPointerAttributes){
            .type = cudaMemoryTypeHost, .devicePointer = same, .hostPointer = same};
    }
    return cudaSuccess;
}

/* ---- copies */

bool sim_side_fits(const void *pointer, size_t bytes, bool device, const char *side,
                   struct sim_location location) {
    const char *at = pointer, *end = sim_device_end(pointer);
    const struct sim_allocation *owner = sim_owner(pointer);
    struct sim_finding finding = {.kind = "wrong-space", .location = location};
    if (owner && owner->freed) {
        finding.kind = "use-after-free";
        sim_report(&finding, "the %s of this call was already freed", side);
        return false;
    }
    if (!end && owner && owner->space != SIM_REGISTERED_MEMORY) {
        end = owner->base + owner->bytes; /* page-locked: host and device may use it */
        device = device && owner->space == SIM_DEVICE_MEMORY;
    } else if (!end && owner) {
        return true;
    } else if (device && !end) {
        sim_report(&finding, "the %s of this call should be device memory but is host memory",
                   side);
        return false;
    } else if (!device && end) {
        sim_report(&finding, "the %s of this call should be host memory but is device memory",
                   side);
        return false;
    }
    size_t room = end > at ? (size_t)(end - at) : 0;
    if (end && bytes > room) {
        finding.kind = "out-of-bounds";
        sim_report(&finding,
                   "this call accesses %zu bytes, but the %s has only %zu from that address on",
                   bytes, side, room);
        return false;
    }
    return true;
}

cudaError_t sim_copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                        size_t width, size_t height, enum cudaMemcpyKind kind,
                        struct sim_location location) {
    if ((unsigned)kind > cudaMemcpyDefault) {
        return sim_fail(cudaErrorInvalidMemcpyDirection);
    }
    if (width == 0 || height == 0) {
        return cudaSuccess;
    }
    if (!to || !from) {
        return sim_fail(cudaErrorInvalidValue);
    }
    size_t to_bytes = to_pitch * (height - 1) + width,
           from_bytes = from_pitch * (height - 1) + width;
    bool by_pointer = kind == cudaMemcpyDefault || kind == cudaMemcpyHostToHost;
    sim_lock_device();
    bool to_device = by_pointer
                         ? sim_device_end(to) != NULL
                         : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = by_pointer
                           ? sim_device_end(from) != NULL
                           : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    bool fits = sim_side_fits(to, to_bytes, to_device, "destination", location) &&
                sim_side_fits(from, from_bytes, from_device, "source", location);
    if (fits) {
        sim_open_range(from, from_bytes);
        sim_open_range(to, to_bytes);
        for (size_t row = 0; row < height; row++) {
            memmove((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width);
            if (sim_hooks) {
                sim_hooks->copied((char *)to + row * to_pitch,
                                  (const char *)from + row * from_pitch, width);
            }
            if (from_device && !to_device) {
                sim_note_pointers((char *)to + row * to_pitch, width);
            }
        }
        sim_close_range(from, from_bytes);
        sim_close_range(to, to_bytes);
    }
    sim_unlock_device();
    return fits ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}

/* Is it the name of a device variable where the call needs an address? Then reports it. */
static bool is_host_name(const void *pointer, const char *side, const char *instead,
                         struct sim_location location) {
    sim_lock_device();
    bool mere = sim_is_host_name(pointer);
    sim_unlock_device();
    if (mere) {
        struct sim_finding finding = {.kind = "wrong-space", .location = location};
        sim_report(&finding,
                   "the %s is a __constant__ or __device__ variable, whose name is not a device "
                   "address: use %s, or get the address from cudaGetSymbolAddress()",
                   side, instead);
    }
    return mere;
}

/* A copy between two addresses that the program passed. */
static cudaError_t copy(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                        size_t width, size_t height, enum cudaMemcpyKind kind,
                        struct sim_location location) {
    bool any = width > 0 && height > 0;
    if (any && (is_host_name(to, "destination of this copy", "cudaMemcpyToSymbol()", location) ||
                is_host_name(from, "source of this copy", "cudaMemcpyFromSymbol()", location))) {
        return sim_fail(cudaErrorInvalidValue);
    }
    return sim_copy_2d(to, to_pitch, from, from_pitch, width, height, kind, location);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return copy(to, bytes, from, bytes, bytes, 1, kind, location);
}

/* Records a copy to `to` that was queued in a stream, unless it failed with `copied`. */
static cudaError_t queued(cudaError_t copied, const void *to, cudaStream_t stream) {
    if (copied == cudaSuccess) {
        sim_lock_device();
        bool there = sim_device_end(to) != NULL;
        sim_unlock_device();
        sim_note_queued(there ? SIM_COPY_THERE : SIM_COPY_BACK, stream);
    }
    return copied;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (!sim_is_stream(stream)) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    return queued(copy(to, bytes, from, bytes, bytes, 1, kind, location), to, stream);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (width > to_pitch || width > from_pitch) {
        return sim_fail(cudaErrorInvalidPitchValue);
    }
    return copy(to, to_pitch, from, from_pitch, width, height, kind, location);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (!sim_is_stream(stream)) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    if (width > to_pitch || width > from_pitch) {
        return sim_fail(cudaErrorInvalidPitchValue);
    }
    return queued(copy(to, to_pitch, from, from_pitch, width, height, kind, location), to, stream);
}

static cudaError_t fill(void *to, size_t pitch, int value, size_t width, size_t height,
                        struct sim_location location) {
    if (width == 0 || height == 0) {
        return cudaSuccess;
    }
    if (is_host_name(to, "memory to be set", "cudaMemcpyToSymbol()", location)) {
        return sim_fail(cudaErrorInvalidValue);
    }
    size_t bytes = pitch * (height - 1) + width;
    sim_lock_device();
    bool fits = sim_side_fits(to, bytes, true, "destination", location);
    if (fits) {
        sim_open_range(to, bytes);
        for (size_t row = 0; row < height; row++) {
            memset((char *)to + row * pitch, value, width);
            if (sim_hooks) {
                sim_hooks->filled((char *)to + row * pitch, width);
            }
        }
        sim_close_range(to, bytes);
    }
    sim_unlock_device();
    return fits ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes) {
    SIM_BEGIN(cudaErrorInvalidValue);
    return fill(pointer, bytes, value, bytes, 1, location);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (!sim_is_stream(stream)) {
        return sim_fail(cudaErrorInvalidResourceHandle);
    }
    return fill(pointer, bytes, value, bytes, 1, location);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
    SIM_BEGIN(cudaErrorInvalidValue);
    if (width > pitch) {
        return sim_fail(cudaErrorInvalidValue);
    }
    return fill(pointer, pitch, value, width, height, location);
}
