#include "queue/copy.h"

#include "base/errors.h"
#include "base/options.h"
#include "exec/fault.h"
#include "exec/hooks.h"
#include "memory/allocations.h"
#include "memory/array.h"
#include "memory/variables.h"

#include <stdlib.h>
#include <string.h>

static size_t copied_to_host;

/* Where only the ends of launches run, nobody looks at what most of a large array holds. */
#define MOST_BYTES ((size_t)1 << 20)

static bool is_left_out(size_t bytes) {
    return sim_options.ends && bytes > MOST_BYTES;
}

enum place { PAGEABLE, PINNED, DEVICE };

/* What the queue keeps of a copy. */
struct job {
    struct sim_copy copy;
    size_t to_bytes, from_bytes; /* from the first byte to the last */
    void *staged;                /* the copied source, or NULL; owned */
    bool pointers;               /* the bytes come from the device to the host */
};

/* What g++ knows of the last call: of its destination and its source. */
static _Thread_local struct {
    struct sim_location location;
    const void *at[2];
    size_t bytes[2];
} rooms;

void sim_host_rooms(const char *file, int line, const void *to, size_t to_bytes, const void *from,
                    size_t from_bytes) {
    rooms.location = (struct sim_location){file, line};
    rooms.at[0] = to;
    rooms.at[1] = from;
    rooms.bytes[0] = to_bytes;
    rooms.bytes[1] = from_bytes;
}

/* The bytes of host memory from here on that belong to one variable or allocation; SIZE_MAX: not
 * known. */
static size_t host_room(const void *at, struct sim_location call) {
    size_t room = sim_hooks ? sim_hooks->host_room(at) : SIZE_MAX;
    for (int i = 0; i < 2; i++) {
        const bool is_known = rooms.at[i] == at && rooms.location.file == call.file &&
                              rooms.location.line == call.line;
        room = is_known && rooms.bytes[i] < room ? rooms.bytes[i] : room;
    }
    return room;
}

/* Can `bytes` bytes at `pointer` be accessed, on the device or on the host? If not, reports why.
 * `side`: "source" or "destination". Hold the device's lock. */
static bool side_fits(const void *pointer, size_t bytes, bool device, const char *side,
                      struct sim_location location) {
    if (sim_hooks) {
        sim_hooks->host_side(pointer, bytes, side[0] == 'd', location);
    }
    if (sim_is_managed(pointer)) {
        return true;
    }
    const char *at = pointer, *end = sim_device_end(pointer);
    const struct sim_allocation *owner = sim_owner(pointer);
    struct sim_finding finding = {.location = location, .side = side, .bytes = bytes};
    if (owner && owner->freed) {
        finding.found = FOUND_COPY_FREED;
    } else if (!end && owner && owner->space != SIM_REGISTERED_MEMORY) {
        end = owner->base + owner->bytes; /* page-locked: host and device may use it */
    } else if (!end && owner) {
        return true;
    } else if (device && !end) {
        finding.found = sim_is_never_set((uintptr_t)pointer)              ? FOUND_COPY_NEVER_SET
                        : sim_is_array((const struct cudaArray *)pointer) ? FOUND_COPY_OF_ARRAY
                                                                          : FOUND_COPY_NOT_DEVICE;
    } else if (!device && end) {
        finding.found = FOUND_COPY_NOT_HOST;
    }
    const bool is_hosts = !end && !owner && !device;
    const size_t room = is_hosts ? host_room(at, location) : end > at ? (size_t)(end - at) : 0;
    if (finding.found == FOUND_NOTHING && (end || is_hosts) && bytes > room) {
        finding.found = FOUND_COPY_OUTSIDE;
        finding.limit = (long long)room;
    }
    if (finding.found != FOUND_NOTHING) {
        sim_report(&finding);
        return false;
    }
    return true;
}

/* From the first to the last byte of one side. */
static size_t extent(const struct sim_copy *c, size_t pitch, size_t slice) {
    return slice * (c->depth - 1) + pitch * (c->height - 1) + c->width;
}

static void copy_rows(const struct job *job, char *to, size_t to_pitch, size_t to_slice,
                      const char *from, size_t from_pitch, size_t from_slice, bool observed) {
    const struct sim_copy *c = &job->copy;
    const struct sim_accesses accesses = {.name = c->name,
                                          .location = c->location,
                                          .from = from,
                                          .to = to,
                                          .from_bytes = extent(c, from_pitch, from_slice),
                                          .to_bytes = extent(c, to_pitch, to_slice)};
    sim_accesses_for_call(&accesses);
    for (size_t z = 0; z < c->depth; z++) {
        for (size_t y = 0; y < c->height; y++) {
            char *at = to + z * to_slice + y * to_pitch;
            const char *source = from + z * from_slice + y * from_pitch;
            if (job->pointers && observed && sim_hooks) {
                sim_hooks->host_receives(source, c->width, c->location);
            }
            memmove(at, source, c->width);
            if (observed && sim_hooks) {
                sim_hooks->copied(at, source, c->width);
            }
            if (job->pointers) {
                sim_note_pointers(at, c->width);
            }
        }
    }
    sim_accesses_for_call(NULL);
}

static void run_copy(void *closure) {
    const struct job *job = closure;
    const struct sim_copy *c = &job->copy;
    const char *from = c->from, *to = c->to;
    bool is_apart = job->staged || from + job->from_bytes <= to || to + job->to_bytes <= from;
    sim_open_range(c->from, job->from_bytes);
    if (is_apart && job->to_bytes == c->width * c->height * c->depth) {
        sim_open_to_overwrite(c->to, job->to_bytes);
    } else {
        sim_open_range(c->to, job->to_bytes);
    }
    if (job->staged) {
        copy_rows(job, c->to, c->to_pitch, c->to_slice, job->staged, c->width, c->width * c->height,
                  true);
    } else {
        copy_rows(job, c->to, c->to_pitch, c->to_slice, c->from, c->from_pitch, c->from_slice,
                  true);
    }
    sim_close_range(c->from, job->from_bytes);
    sim_close_range(c->to, job->to_bytes);
}

static void end_copy(void *closure) {
    const struct job *job = closure;
    free(job->staged);
}

/* Hold the device's lock. */
static enum place place_of(const void *pointer) {
    if (sim_device_end(pointer)) {
        return DEVICE;
    }
    const struct sim_allocation *owner = sim_owner(pointer);
    return (owner && !owner->freed) || sim_is_managed(pointer) ? PINNED : PAGEABLE;
}

static bool stage(struct job *job) {
    const struct sim_copy *c = &job->copy;
    job->staged = malloc(c->width * c->height * c->depth);
    if (job->staged) {
        copy_rows(job, job->staged, c->width, c->width * c->height, c->from, c->from_pitch,
                  c->from_slice, false);
    }
    return job->staged != NULL;
}

/* The rows of one side. Slices that do not follow each other as rows do count as one block. */
static struct sim_range range(const struct sim_copy *c, const void *from, size_t pitch,
                              size_t slice, bool written) {
    bool rows = c->depth == 1 || slice == pitch * c->height;
    return (struct sim_range){.from = from,
                              .bytes = rows ? c->width : extent(c, pitch, slice),
                              .pitch = pitch,
                              .rows = rows ? c->height * c->depth : 1,
                              .written = written};
}

static cudaError_t queue_copy(struct job *job, enum place to, enum place from) {
    const struct sim_copy *c = &job->copy;
    bool waits = to == PAGEABLE || (from != DEVICE && to != DEVICE) ||
                 (!c->async && !(from == DEVICE && to == DEVICE));
    struct sim_operation operation = {.kind = SIM_OP_COPY,
                                      .name = c->name,
                                      .location = c->location,
                                      .run = run_copy,
                                      .closure = job,
                                      .closure_bytes = sizeof *job};
    operation.ranges[operation.range_count++] = range(c, c->to, c->to_pitch, c->to_slice, true);
    if (from == PAGEABLE && !waits && !sim_capture_of(c->stream)) { /* a graph reads it later */
        SIM_FAIL_IF(!stage(job), cudaErrorMemoryAllocation);
        operation.destroy = end_copy;
    } else {
        operation.ranges[operation.range_count++] =
            range(c, c->from, c->from_pitch, c->from_slice, false);
    }
    cudaError_t error =
        waits ? sim_enqueue_and_wait(c->stream, &operation) : sim_enqueue(c->stream, &operation);
    return error;
}

cudaError_t sim_copy(const struct sim_copy *c) {
    SIM_FAIL_IF((unsigned)c->kind > cudaMemcpyDefault, cudaErrorInvalidMemcpyDirection);
    SIM_FAIL_IF(!sim_is_stream(c->stream), cudaErrorInvalidResourceHandle);
    if (c->width == 0 || c->height == 0 || c->depth == 0) {
        return cudaSuccess;
    }
    SIM_FAIL_IF(!c->to || !c->from, cudaErrorInvalidValue);
    struct job job = {.copy = *c,
                      .to_bytes = extent(c, c->to_pitch, c->to_slice),
                      .from_bytes = extent(c, c->from_pitch, c->from_slice)};
    sim_lock_device();
    enum place to = place_of(c->to), from = place_of(c->from);
    bool by_pointer = c->kind == cudaMemcpyDefault || c->kind == cudaMemcpyHostToHost;
    bool to_device = by_pointer
                         ? to == DEVICE
                         : c->kind == cudaMemcpyHostToDevice || c->kind == cudaMemcpyDeviceToDevice;
    bool from_device =
        by_pointer ? from == DEVICE
                   : c->kind == cudaMemcpyDeviceToHost || c->kind == cudaMemcpyDeviceToDevice;
    bool fits = side_fits(c->to, job.to_bytes, to_device, "destination", c->location) &&
                side_fits(c->from, job.from_bytes, from_device, "source", c->location);
    sim_unlock_device();
    job.pointers = from_device && !to_device;
    if (fits && job.pointers) {
        __atomic_fetch_add(&copied_to_host, c->width * c->height * c->depth, __ATOMIC_RELAXED);
    }
    SIM_FAIL_IF(!fits, cudaErrorInvalidValue);
    return is_left_out(c->width * c->height * c->depth) ? cudaSuccess : queue_copy(&job, to, from);
}

size_t sim_copied_to_host(void) {
    return __atomic_load_n(&copied_to_host, __ATOMIC_RELAXED);
}

/* ---- fills */

static void run_fill(void *closure) {
    const struct sim_fill *f = closure;
    size_t bytes = f->pitch * (f->height - 1) + f->width;
    if (f->height == 1 || f->width == f->pitch) {
        sim_open_to_overwrite(f->to, bytes);
    } else {
        sim_open_range(f->to, bytes);
    }
    for (size_t row = 0; row < f->height; row++) {
        char *at = (char *)f->to + row * f->pitch;
        if (f->value_bytes == 1) {
            memset(at, (int)f->value, f->width);
        }
        for (size_t i = 0; f->value_bytes > 1 && i < f->width; i += f->value_bytes) {
            memcpy(at + i, &f->value, f->value_bytes); /* the low bytes first, as on the device */
        }
        if (sim_hooks) {
            sim_hooks->filled(at, f->width);
        }
    }
    sim_close_range(f->to, bytes);
    struct sim_allocation *whole = (struct sim_allocation *)(uintptr_t)sim_owner(f->to);
    if (whole && whole->base == f->to && f->value_bytes == 1) {
        whole->set_bytes = f->height == 1 ? f->width : 0;
        whole->set_at = f->location;
    }
}

cudaError_t sim_fill(const struct sim_fill *f) {
    SIM_FAIL_IF(!sim_is_stream(f->stream), cudaErrorInvalidResourceHandle);
    if (f->width == 0 || f->height == 0) {
        return cudaSuccess;
    }
    sim_lock_device();
    bool fits =
        side_fits(f->to, f->pitch * (f->height - 1) + f->width, true, "destination", f->location);
    bool on_device = place_of(f->to) == DEVICE;
    sim_unlock_device();
    SIM_FAIL_IF(!fits, cudaErrorInvalidValue);
    if (is_left_out(f->width * f->height)) {
        return cudaSuccess;
    }
    const struct sim_operation operation = {
        .kind = SIM_OP_FILL,
        .name = f->name,
        .location = f->location,
        .run = run_fill,
        .closure = f,
        .closure_bytes = sizeof *f,
        .ranges = {{f->to, f->width, f->pitch, f->height, true}},
        .range_count = 1,
    };
    return f->async || on_device ? sim_enqueue(f->stream, &operation)
                                 : sim_enqueue_and_wait(f->stream, &operation);
}
