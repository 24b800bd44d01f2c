/* Copies to and from __constant__ and __device__ variables.
 *
 * CUDA knows a variable by the address that nvcc's code registered before main(): that of its first
 * byte. "symbol: Device symbol address", says the documentation of the runtime API; an address
 * inside of a variable, such as that of c_bank[1], is registered nowhere and gives
 * cudaErrorInvalidSymbol, while c_bank[0] is c_bank, with the size of all of it. A variable of a
 * class is not registered here: of that the C++ forms in sim/symbols.h know the size, and the C
 * forms check against the end of its section. */
#include "api/api.h"
#include "memory/allocations.h"
#include "memory/variables.h"
#include "queue/copy.h"

/* The number of bytes from `symbol` to the end of its section; 0 if it is not a device variable. */
static size_t room_of(const void *symbol) {
    const char *end = sim_variables_end(symbol);
    return end ? (size_t)(end - (const char *)symbol) : 0;
}

/* The size of the variable that CUDA knows by this address; `size` where it is not registered. */
static size_t size_of(const void *symbol, size_t size) {
    const struct sim_variable *v = sim_variable_at(symbol);
    return v ? v->bytes : size;
}

/* Is it the address of something inside of a variable? Then that is reported for the call. */
static bool is_inside(const char *name, const void *symbol, struct sim_location location) {
    const struct sim_variable *v = sim_variable_at(symbol);
    if (v == NULL || v->address == symbol) {
        return false;
    }
    const struct sim_object whole = {
        .space = "global", .name = v->name, .bytes = v->bytes, .made = {v->file, v->line}};
    sim_report(&(struct sim_finding){.found = FOUND_PART_OF_SYMBOL,
                                     .location = location,
                                     .call = name,
                                     .object = whole,
                                     .offset = (const char *)symbol - (const char *)v->address});
    return true;
}

/* May `bytes` bytes at `offset` of a symbol be copied in this direction? */
static cudaError_t check(const char *name, const void *symbol, size_t size, size_t bytes,
                         size_t offset, enum cudaMemcpyKind kind, enum cudaMemcpyKind wrong,
                         struct sim_location location) {
    if (is_inside(name, symbol, location)) {
        return sim_fail(cudaErrorInvalidSymbol);
    }
    if (room_of(symbol) < size) {
        sim_report(&(struct sim_finding){.found = FOUND_NO_SYMBOL, .location = location});
        return sim_fail(cudaErrorInvalidSymbol);
    }
    SIM_FAIL_IF((unsigned)kind > cudaMemcpyDefault || kind == wrong || kind == cudaMemcpyHostToHost,
                cudaErrorInvalidMemcpyDirection);
    if (offset > size || bytes > size - offset) {
        sim_report(&(struct sim_finding){.found = FOUND_SYMBOL_TOO_SMALL,
                                         .location = location,
                                         .bytes = bytes,
                                         .offset = (ptrdiff_t)offset,
                                         .limit = (long long)size});
        return sim_fail(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

/* A call that copies to or from a symbol. */
struct call {
    const char *name;
    const void *symbol;
    size_t size, element; /* of the variable, and of a number in it */
    size_t bytes, offset;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    bool async;
};

static cudaError_t copy(const struct call *call, void *to, const void *from) {
    SIM_BEGIN_AS(call->name, cudaErrorInvalidSymbol);
    cudaError_t error = check(call->name, call->symbol, size_of(call->symbol, call->size),
                              call->bytes, call->offset, call->kind,
                              to ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, location);
    if (error != cudaSuccess) {
        return error;
    }
    if (call->bytes % call->element != 0) {
        const struct sim_variable *v = sim_variable_at(call->symbol);
        sim_report_once(&(struct sim_finding){.found = FOUND_ELEMENTS_TO_SYMBOL,
                                              .severity = "note",
                                              .location = location,
                                              .call = call->name,
                                              .bytes = call->bytes,
                                              .text = v ? v->name : NULL,
                                              .value = (long long)call->element});
    }
    char *at = (char *)(uintptr_t)call->symbol + call->offset;
    const struct sim_copy c = {.to = to ? to : at,
                               .from = to ? at : from,
                               .to_pitch = call->bytes,
                               .from_pitch = call->bytes,
                               .width = call->bytes,
                               .height = 1,
                               .depth = 1,
                               .kind = cudaMemcpyDefault,
                               .name = call->name,
                               .location = location,
                               .stream = call->stream,
                               .async = call->async};
    return sim_copy(&c);
}

cudaError_t sim_copy_to_symbol(const void *symbol, size_t size, size_t element, const void *from,
                               size_t bytes, size_t offset, enum cudaMemcpyKind kind) {
    const struct call call = {
        "cudaMemcpyToSymbol", symbol, size, element, bytes, offset, kind, NULL, false};
    return copy(&call, NULL, from);
}

cudaError_t sim_copy_from_symbol(void *to, const void *symbol, size_t size, size_t bytes,
                                 size_t offset, enum cudaMemcpyKind kind) {
    const struct call call = {
        "cudaMemcpyFromSymbol", symbol, size, 1, bytes, offset, kind, NULL, false};
    return to ? copy(&call, to, NULL) : sim_fail(cudaErrorInvalidValue);
}

cudaError_t sim_copy_to_symbol_async(const void *symbol, size_t size, size_t element,
                                     const void *from, size_t bytes, size_t offset,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
    const struct call call = {
        "cudaMemcpyToSymbolAsync", symbol, size, element, bytes, offset, kind, stream, true};
    return copy(&call, NULL, from);
}

cudaError_t sim_copy_from_symbol_async(void *to, const void *symbol, size_t size, size_t bytes,
                                       size_t offset, enum cudaMemcpyKind kind,
                                       cudaStream_t stream) {
    const struct call call = {
        "cudaMemcpyFromSymbolAsync", symbol, size, 1, bytes, offset, kind, stream, true};
    return to ? copy(&call, to, NULL) : sim_fail(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind) {
    return sim_copy_to_symbol(symbol, room_of(symbol) ? room_of(symbol) : 1, 1, from, bytes, offset,
                              kind);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind) {
    return sim_copy_from_symbol(to, symbol, room_of(symbol) ? room_of(symbol) : 1, bytes, offset,
                                kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
    return sim_copy_to_symbol_async(symbol, room_of(symbol) ? room_of(symbol) : 1, 1, from, bytes,
                                    offset, kind, stream);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
    return sim_copy_from_symbol_async(to, symbol, room_of(symbol) ? room_of(symbol) : 1, bytes,
                                      offset, kind, stream);
}

cudaError_t sim_symbol_address(void **pointer, const void *symbol, size_t size) {
    SIM_BEGIN_AS("cudaGetSymbolAddress", cudaErrorInvalidSymbol);
    SIM_FAIL_IF(!pointer, cudaErrorInvalidValue);
    SIM_FAIL_IF(room_of(symbol) == 0 || is_inside("cudaGetSymbolAddress", symbol, location),
                cudaErrorInvalidSymbol);
    sim_lock_device();
    sim_note_address(symbol, size_of(symbol, size));
    sim_unlock_device();
    *pointer = (void *)(uintptr_t)symbol;
    return cudaSuccess;
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
    return sim_symbol_address(pointer, symbol, room_of(symbol));
}

cudaError_t sim_symbol_size(size_t *bytes, const void *symbol, size_t size) {
    SIM_FAIL_IF(!bytes, cudaErrorInvalidValue);
    const struct sim_variable *v = sim_variable_at(symbol);
    SIM_FAIL_IF(room_of(symbol) < size || (v && v->address != symbol), cudaErrorInvalidSymbol);
    *bytes = size_of(symbol, size);
    return cudaSuccess;
}
