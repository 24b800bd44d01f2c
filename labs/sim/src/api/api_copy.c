/* cudaMemcpy() and cudaMemset() in their forms for linear and pitched memory. */
#include "api/api.h"
#include "memory/allocations.h"
#include "memory/variables.h"
#include "queue/copy.h"

#include <string.h>

/* Is it the name of a device variable where the call needs an address? Then reports it. `instead`:
 * the call that takes a name. */
static bool is_host_name(const void *pointer, const char *side, const char *instead,
                         struct sim_location location) {
    sim_lock_device();
    bool mere = sim_is_host_name(pointer);
    sim_unlock_device();
    if (mere) {
        sim_report(&(struct sim_finding){
            .found = FOUND_HOST_NAME, .location = location, .side = side, .call = instead});
    }
    return mere;
}

enum { COPIED_MAX = 64 }; /* the most that is recorded */

static struct sim_copied copied[COPIED_MAX];
static unsigned copied_count;
static size_t page_locked[2]; /* bytes that were copied to the device, and back */

enum { BYTES = 256 };
static size_t values[BYTES]; /* of the bytes that were copied to the device: how many of each */

unsigned sim_copied(const struct sim_copied **list) {
    *list = copied;
    return copied_count;
}

size_t sim_copied_page_locked(int back) {
    return page_locked[back != 0];
}

void sim_forget_copied(void) {
    sim_lock_device();
    copied_count = 0;
    page_locked[0] = page_locked[1] = 0;
    memset(values, 0, sizeof values);
    sim_unlock_device();
}

static void count_values(const void *from, size_t bytes, size_t counts[BYTES]) {
    const unsigned char *at = from;
    for (size_t i = 0; i < bytes; i++) {
        counts[at[i]]++;
    }
}

size_t sim_not_copied(const void *input, size_t bytes) {
    size_t wanted[BYTES] = {0}, missing = 0;
    count_values(input, bytes, wanted);
    sim_lock_device();
    for (unsigned i = 0; i < BYTES; i++) {
        missing += wanted[i] > values[i] ? wanted[i] - values[i] : 0;
    }
    sim_unlock_device();
    return missing;
}

/* Records a copy. Copies from one buffer, or from what follows in it, are one record, so that a row
 * at a time does not fill the list. */
static void record_copied(struct sim_copied c) {
    static const char *end[COPIED_MAX]; /* of what was read */
    const char *const from = c.from;
    unsigned i = copied_count;
    while (i > 0 && !(copied[i - 1].memory == c.memory &&
                      from >= (const char *)copied[i - 1].from && from <= end[i - 1])) {
        i--;
    }
    if (i > 0) {
        copied[i - 1].bytes += c.bytes;
        end[i - 1] = from + c.bytes > end[i - 1] ? from + c.bytes : end[i - 1];
    } else if (copied_count < COPIED_MAX) {
        end[copied_count] = from + c.bytes;
        copied[copied_count++] = c;
    }
}

enum { OVERRUN = 3 }; /* bytes of a word beyond the end, which have a message of their own */

/* Is the host's side of a copy page-locked, from its first byte to its last? */
static bool is_page_locked(const struct sim_copy *c, bool there) {
    const char *first = there ? c->from : c->to;
    const size_t pitch = there ? c->from_pitch : c->to_pitch;
    const struct sim_allocation *a = sim_owner(first);
    return a && !a->freed && a->space != SIM_DEVICE_MEMORY &&
           first + (c->height ? pitch * (c->height - 1) : 0) + c->width <=
               a->base + a->bytes + OVERRUN;
}

/* Records for sim_copied() a copy of host memory to the device. The device's lock is held. */
static void note_copied(const struct sim_copy *c) {
    const struct sim_allocation *a = sim_owner(c->from);
    const bool is_locked = is_page_locked(c, true);
    const bool is_combined =
        is_locked && a->space == SIM_PINNED_MEMORY && (a->flags & cudaHostAllocWriteCombined) != 0;
    record_copied((struct sim_copied){c->from, c->width * c->height,
                                      is_combined ? SIM_WRITE_COMBINED
                                      : is_locked ? SIM_PAGE_LOCKED
                                                  : SIM_PAGEABLE});
    for (size_t row = 0; row < c->height; row++) {
        count_values((const char *)c->from + row * c->from_pitch, c->width, values);
    }
}

/* A copy between two addresses that the program passed. */
static cudaError_t copy(const struct sim_copy *c) {
    bool any = c->width > 0 && c->height > 0;
    if (any && (is_host_name(c->to, "destination", "cudaMemcpyToSymbol", c->location) ||
                is_host_name(c->from, "source", "cudaMemcpyFromSymbol", c->location))) {
        return sim_fail(cudaErrorInvalidValue);
    }
    if (any && (c->to == NULL || c->from == NULL)) {
        sim_report_once(&(struct sim_finding){.found = FOUND_COPY_NULL,
                                              .severity = "note",
                                              .location = c->location,
                                              .side = c->to == NULL ? "destination" : "source"});
    }
    cudaError_t error = sim_copy(c);
    if (error != cudaSuccess) {
        return error;
    }
    sim_lock_device();
    bool there = sim_device_end(c->to) != NULL;
    const bool from_host = sim_device_end(c->from) == NULL;
    if (there && from_host) {
        note_copied(c);
    }
    if (there == from_host && is_page_locked(c, there)) {
        page_locked[!there] += c->width * c->height;
    }
    sim_unlock_device();
    if (c->async) {
        sim_note_queued(there ? SIM_COPY_THERE : SIM_COPY_BACK, c->stream);
    }
    return error;
}

static struct sim_copy linear(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                              const char *name, struct sim_location location) {
    return (struct sim_copy){.to = to,
                             .from = from,
                             .to_pitch = bytes,
                             .from_pitch = bytes,
                             .width = bytes,
                             .height = 1,
                             .depth = 1,
                             .kind = kind,
                             .name = name,
                             .location = location};
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    SIM_BEGIN(cudaErrorInvalidValue);
    struct sim_copy c = linear(to, from, bytes, kind, __func__, location);
    return copy(&c);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    struct sim_copy c = linear(to, from, bytes, kind, __func__, location);
    c.stream = stream;
    c.async = true;
    return copy(&c);
}

static cudaError_t copy_rows(struct sim_copy *c, size_t to_pitch, size_t from_pitch,
                             size_t height) {
    SIM_FAIL_IF(c->width > to_pitch || c->width > from_pitch, cudaErrorInvalidPitchValue);
    c->to_pitch = to_pitch;
    c->from_pitch = from_pitch;
    c->height = height;
    return copy(c);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
    SIM_BEGIN(cudaErrorInvalidValue);
    struct sim_copy c = linear(to, from, width, kind, __func__, location);
    return copy_rows(&c, to_pitch, from_pitch, height);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    struct sim_copy c = linear(to, from, width, kind, __func__, location);
    c.stream = stream;
    c.async = true;
    return copy_rows(&c, to_pitch, from_pitch, height);
}

static cudaError_t fill(const struct sim_fill *f) {
    bool any = f->width > 0 && f->height > 0;
    SIM_FAIL_IF(any && is_host_name(f->to, "memory", "cudaMemcpyToSymbol", f->location),
                cudaErrorInvalidValue);
    return sim_fill(f);
}

static struct sim_fill bytes_of(void *to, int value, size_t width, const char *name,
                                struct sim_location location) {
    return (struct sim_fill){.to = to,
                             .pitch = width,
                             .width = width,
                             .height = 1,
                             .value = (unsigned)value,
                             .value_bytes = 1,
                             .name = name,
                             .location = location};
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes) {
    SIM_BEGIN(cudaErrorInvalidValue);
    struct sim_fill f = bytes_of(pointer, value, bytes, __func__, location);
    return fill(&f);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream) {
    SIM_BEGIN(cudaErrorInvalidValue);
    struct sim_fill f = bytes_of(pointer, value, bytes, __func__, location);
    f.stream = stream;
    f.async = true;
    return fill(&f);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
    SIM_BEGIN(cudaErrorInvalidValue);
    SIM_FAIL_IF(width > pitch, cudaErrorInvalidValue);
    struct sim_fill f = bytes_of(pointer, value, width, __func__, location);
    f.pitch = pitch;
    f.height = height;
    return fill(&f);
}
