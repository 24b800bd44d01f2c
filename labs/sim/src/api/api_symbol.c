/* Copies to and from __constant__ and __device__ variables. The C++ forms in sim_symbols.h know the
 * size of the variable. The C forms receive only its address, and check against the end of its
 * section. */
#include "api/api.h"
#include "memory/allocations.h"
#include "memory/variables.h"

/* The number of bytes from `symbol` to the end of its section; 0 if it is not a device variable. */
static size_t room_of(const void *symbol) {
    const char *end = sim_variables_end(symbol);
    return end ? (size_t)(end - (const char *)symbol) : 0;
}

/* May `bytes` bytes at `offset` of a symbol be copied in this direction? */
static cudaError_t check(const void *symbol, size_t size, size_t bytes, size_t offset,
                         enum cudaMemcpyKind kind, enum cudaMemcpyKind wrong,
                         struct sim_location location) {
    if (room_of(symbol) < size) {
        struct sim_finding finding = {.kind = "wrong-space", .location = location};
        sim_report(&finding, "the symbol of this copy is not a device variable: write the name "
                             "of a __constant__ or __device__ variable, without quotes and &");
        return sim_fail(cudaErrorInvalidSymbol);
    }
    if ((unsigned)kind > cudaMemcpyDefault || kind == wrong || kind == cudaMemcpyHostToHost) {
        return sim_fail(cudaErrorInvalidMemcpyDirection);
    }
    if (offset > size || bytes > size - offset) {
        struct sim_finding finding = {.kind = "out-of-bounds", .location = location};
        sim_report(&finding,
                   "%zu bytes at offset %zu do not fit in a symbol of %zu bytes: %zu too many",
                   bytes, offset, size, offset > size ? bytes : bytes - (size - offset));
        return sim_fail(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

static cudaError_t copy_to(const char *name, const void *symbol, size_t size, const void *from,
                           size_t bytes, size_t offset, enum cudaMemcpyKind kind) {
    struct sim_location location;
    cudaError_t error = sim_begin(name, cudaErrorInvalidSymbol, &location);
    if (error == cudaSuccess) {
        error = check(symbol, size, bytes, offset, kind, cudaMemcpyDeviceToHost, location);
    }
    char *at = (char *)(uintptr_t)symbol + offset;
    return error != cudaSuccess
               ? error
               : sim_copy_2d(at, bytes, from, bytes, bytes, 1, cudaMemcpyDefault, location);
}

static cudaError_t copy_from(const char *name, void *to, const void *symbol, size_t size,
                             size_t bytes, size_t offset, enum cudaMemcpyKind kind) {
    struct sim_location location;
    cudaError_t error = sim_begin(name, cudaErrorInvalidSymbol, &location);
    if (error == cudaSuccess) {
        error = check(symbol, size, bytes, offset, kind, cudaMemcpyHostToDevice, location);
    }
    const char *at = (const char *)symbol + offset;
    return error != cudaSuccess
               ? error
               : sim_copy_2d(to, bytes, at, bytes, bytes, 1, cudaMemcpyDefault, location);
}

cudaError_t sim_copy_to_symbol(const void *symbol, size_t size, const void *from, size_t bytes,
                               size_t offset, enum cudaMemcpyKind kind) {
    return copy_to("cudaMemcpyToSymbol", symbol, size, from, bytes, offset, kind);
}

cudaError_t sim_copy_from_symbol(void *to, const void *symbol, size_t size, size_t bytes,
                                 size_t offset, enum cudaMemcpyKind kind) {
    return copy_from("cudaMemcpyFromSymbol", to, symbol, size, bytes, offset, kind);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind) {
    return copy_to(__func__, symbol, room_of(symbol) ? room_of(symbol) : 1, from, bytes, offset,
                   kind);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind) {
    return copy_from(__func__, to, symbol, room_of(symbol) ? room_of(symbol) : 1, bytes, offset,
                     kind);
}

cudaError_t sim_symbol_address(void **pointer, const void *symbol, size_t size) {
    struct sim_location location;
    cudaError_t refused = sim_begin("cudaGetSymbolAddress", cudaErrorInvalidSymbol, &location);
    if (refused != cudaSuccess) {
        return refused;
    }
    if (!pointer) {
        return sim_fail(cudaErrorInvalidValue);
    }
    if (room_of(symbol) == 0) {
        return sim_fail(cudaErrorInvalidSymbol);
    }
    sim_lock_device();
    sim_note_address(symbol, size);
    sim_unlock_device();
    *pointer = (void *)(uintptr_t)symbol;
    return cudaSuccess;
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
    return sim_symbol_address(pointer, symbol, room_of(symbol));
}

cudaError_t sim_symbol_size(size_t *bytes, const void *symbol, size_t size) {
    if (!bytes) {
        return sim_fail(cudaErrorInvalidValue);
    }
    if (room_of(symbol) < size) {
        return sim_fail(cudaErrorInvalidSymbol);
    }
    *bytes = size;
    return cudaSuccess;
}
