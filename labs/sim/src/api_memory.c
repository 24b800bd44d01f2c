#include "sim.h"

#include <stdio.h>
#include <string.h>

/* Begins a call: a lost device, an injected failure. Returns what the call must return at once,
 * or cudaSuccess. */
static cudaError_t begin(const char *name, cudaError_t injected) {
    if (sim_sticky() != cudaSuccess) {
        return sim_sticky();
    }
    return sim_injected(name) ? sim_fail(injected) : cudaSuccess;
}

#define BEGIN(name, injected)                                                                      \
    struct sim_place place = sim_here();                                                           \
    cudaError_t refused = begin(name, injected);                                                   \
    if (refused != cudaSuccess) {                                                                  \
        return refused;                                                                            \
    }

static cudaError_t allocate(void **pointer, size_t bytes, enum sim_space space, unsigned flags,
                            struct sim_place place) {
    if (!pointer) {
        return sim_fail(cudaErrorInvalidValue);
    }
    *pointer = NULL;
    if (bytes == 0) {
        return cudaSuccess;
    }
    struct cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    *pointer = bytes <= device.totalGlobalMem ? sim_allocate(bytes, space, flags, place) : NULL;
    return *pointer ? cudaSuccess : sim_fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
    BEGIN("cudaMalloc", cudaErrorMemoryAllocation)
    return allocate(pointer, bytes, SIM_DEVICE_MEMORY, 0, place);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    BEGIN("cudaMallocPitch", cudaErrorMemoryAllocation)
    if (!pitch) {
        return sim_fail(cudaErrorInvalidValue);
    }
    *pitch = (width + 511) / 512 * 512; /* what an H200 gives */
    return allocate(pointer, *pitch * height, SIM_DEVICE_MEMORY, 0, place);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
    BEGIN("cudaMallocHost", cudaErrorMemoryAllocation)
    return allocate(pointer, bytes, SIM_PINNED_MEMORY, 0, place);
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
    BEGIN("cudaHostAlloc", cudaErrorMemoryAllocation)
    return allocate(pointer, bytes, SIM_PINNED_MEMORY, flags, place);
}

static cudaError_t release(void *pointer, enum sim_space space, const char *call,
                           struct sim_place place) {
    if (!pointer) {
        return cudaSuccess;
    }
    struct sim_allocation *a = sim_owner_of_base(pointer, space);
    if (!a) {
        const struct sim_allocation *owner = sim_mapping_of(pointer);
        struct sim_finding finding = {.severity = "error", .kind = "wrong-space", .place = place};
        if (owner && owner->freed) {
            finding.kind = "use-after-free";
        }
        sim_report(&finding, "%s() of a pointer that %s", call,
                   !owner          ? "no allocation gave"
                   : owner->freed  ? "was freed before"
                   : owner->base == pointer ? "is of the other kind of memory"
                                            : "is not the start of its allocation");
        return sim_fail(cudaErrorInvalidValue);
    }
    sim_release(a);
    return cudaSuccess;
}

cudaError_t cudaFree(void *pointer) {
    BEGIN("cudaFree", cudaErrorInvalidValue)
    return release(pointer, SIM_DEVICE_MEMORY, "cudaFree", place);
}

cudaError_t cudaFreeHost(void *pointer) {
    BEGIN("cudaFreeHost", cudaErrorInvalidValue)
    return release(pointer, SIM_PINNED_MEMORY, "cudaFreeHost", place);
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags) {
    BEGIN("cudaHostRegister", cudaErrorMemoryAllocation)
    (void)place;
    (void)flags;
    return pointer && bytes ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaHostUnregister(void *pointer) {
    return pointer ? cudaSuccess : sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags) {
    if (!device || flags || !sim_owner_of_base(host, SIM_PINNED_MEMORY)) {
        return sim_fail(cudaErrorInvalidValue);
    }
    *device = host;
    return cudaSuccess;
}

/* Is `pointer` good for `bytes` on the side of the copy that it stands for? */
static bool side_is_right(const void *pointer, size_t bytes, bool device, const char *side,
                          struct sim_place place) {
    const char *end;
    bool is_device = sim_is_device(pointer, &end);
    const struct sim_allocation *mapping = sim_mapping_of(pointer);
    struct sim_finding finding = {.severity = "error", .kind = "wrong-space", .place = place};
    if (mapping && mapping->freed) {
        finding.kind = "use-after-free";
        sim_report(&finding, "the %s of this copy was freed before", side);
        return false;
    }
    if (device && !is_device && !(mapping && mapping->space == SIM_PINNED_MEMORY)) {
        sim_report(&finding, "the %s of this copy must be device memory and is not", side);
        return false;
    }
    if (!device && is_device) {
        sim_report(&finding, "the %s of this copy must be host memory and is the device's", side);
        return false;
    }
    if (is_device && bytes > (size_t)(end - (const char *)pointer)) {
        finding.kind = "out-of-bounds";
        sim_report(&finding, "this copy of %zu bytes goes %zu bytes past the end of its %s", bytes,
                   bytes - (size_t)(end - (const char *)pointer), side);
        return false;
    }
    return true;
}

static cudaError_t check_copy(const void *to, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind, struct sim_place place) {
    const char *end;
    if ((unsigned)kind > cudaMemcpyDefault) {
        return sim_fail(cudaErrorInvalidMemcpyDirection);
    }
    if (!to || !from) {
        return sim_fail(cudaErrorInvalidValue);
    }
    bool to_device = kind == cudaMemcpyDefault ? sim_is_device(to, &end)
                                               : kind == cudaMemcpyHostToDevice ||
                                                     kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDefault ? sim_is_device(from, &end)
                                                 : kind == cudaMemcpyDeviceToHost ||
                                                       kind == cudaMemcpyDeviceToDevice;
    if (!side_is_right(to, bytes, to_device, "destination", place) ||
        !side_is_right(from, bytes, from_device, "source", place)) {
        return sim_fail(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                        struct sim_place place) {
    if (bytes == 0) {
        return cudaSuccess;
    }
    cudaError_t error = check_copy(to, from, bytes, kind, place);
    if (error == cudaSuccess) {
        memmove(to, from, bytes);
    }
    return error;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    BEGIN("cudaMemcpy", cudaErrorInvalidValue)
    return copy(to, from, bytes, kind, place);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    BEGIN("cudaMemcpyAsync", cudaErrorInvalidValue)
    (void)stream; /* a stream's work is done at once, in its order */
    return copy(to, from, bytes, kind, place);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
    BEGIN("cudaMemcpy2D", cudaErrorInvalidValue)
    if (width > to_pitch || width > from_pitch) {
        return sim_fail(cudaErrorInvalidPitchValue);
    }
    for (size_t row = 0; row < height; row++) {
        cudaError_t error = copy((char *)to + row * to_pitch,
                                 (const char *)from + row * from_pitch, width, kind, place);
        if (error != cudaSuccess) {
            return error;
        }
    }
    return cudaSuccess;
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes) {
    BEGIN("cudaMemset", cudaErrorInvalidValue)
    if (bytes == 0) {
        return cudaSuccess;
    }
    if (!side_is_right(pointer, bytes, true, "destination", place)) {
        return sim_fail(cudaErrorInvalidValue);
    }
    memset(pointer, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream) {
    (void)stream;
    return cudaMemset(pointer, value, bytes);
}

cudaError_t sim_copy_symbol(const void *symbol, size_t size, size_t offset, void *host,
                            size_t bytes, enum cudaMemcpyKind kind, int to_symbol) {
    BEGIN(to_symbol ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol", cudaErrorInvalidValue)
    const char *end;
    if (!sim_is_device(symbol, &end)) {
        return sim_fail(cudaErrorInvalidSymbol);
    }
    if (offset > size || bytes > size - offset) {
        struct sim_finding finding = {.severity = "error", .kind = "out-of-bounds",
                                      .place = place};
        sim_report(&finding, "this copy of %zu bytes at offset %zu does not fit the symbol's %zu",
                   bytes, offset, size);
        return sim_fail(cudaErrorInvalidValue);
    }
    char *at = (char *)(uintptr_t)symbol + offset;
    return to_symbol ? copy(at, host, bytes, kind, place) : copy(host, at, bytes, kind, place);
}

cudaError_t sim_symbol_address(void **pointer, const void *symbol) {
    const char *end;
    if (!pointer || !sim_is_device(symbol, &end)) {
        return sim_fail(cudaErrorInvalidSymbol);
    }
    *pointer = (void *)(uintptr_t)symbol;
    return cudaSuccess;
}
