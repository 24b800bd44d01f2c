#include "api/async_check.h"

#include "api/overlap.h"
#include "api/queue_lock.h"
#include "base/options.h"
#include "exec/fault.h"
#include "memory/allocations.h"
#include "memory/footprint.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 64      /* of the clocks; streams beyond share a lane, and so count as ordered */
#define MOST_ENDED 512 /* operations that are remembered after their end */
#define MOST_ACCESSES 64

struct sim_async {
    unsigned references;
    struct sim_operation operation;
    unsigned lane;
    uint32_t number, clock[LANES];
    uint64_t time; /* of the call: counts the operations */
    struct footprint footprint;
    bool ended, has_snapshot;
    bool reported; /* what the host did to its memory */
    uint64_t snapshot; /* of the host memory that it is going to read */
    struct sim_async *older, *newer;
};

/* What one instruction of the host, or a call that frees, has accessed while work was pending. */
struct host_access {
    const void *pc;
    const char *call; /* NULL: an instruction */
    struct sim_location location;
    bool written;
    bool synchronises; /* of a flag, which tells what a kernel has done */
    uint64_t time;     /* of the newest operation then */
    struct footprint footprint;
};

static struct sim_async *newest; /* of those that may still meet one that they are not ordered with */
static unsigned pending, ended_count;
static uint64_t now;
static uint32_t numbers[LANES];     /* of the newest operation of each lane */
static uint32_t host_clock[LANES];  /* what the host has waited for */
static uint32_t ended_clock[LANES]; /* what forgotten streams did */
static bool several_lanes;
static struct host_access accesses[MOST_ACCESSES];
static unsigned access_count;
static const char *shared_from, *shared_to; /* the hull of what host and device share */
static _Thread_local struct sim_async *host_call; /* that this thread runs */

/* ---- clocks */

static void join(uint32_t *clock, const uint32_t *other) {
    for (unsigned i = 0; i < LANES; i++) {
        clock[i] = clock[i] > other[i] ? clock[i] : other[i];
    }
}

static bool waited(const struct sim_async *w) {
    return host_clock[w->lane] >= w->number;
}

static bool are_ordered(const struct sim_async *a, const struct sim_async *b) {
    return a->clock[b->lane] >= b->number || b->clock[a->lane] >= a->number;
}

struct sim_async *sim_async_new(const struct sim_stream *stream,
                                const struct sim_operation *operation) {
    struct sim_async *w = sim_checked ? calloc(1, sizeof *w) : NULL;
    if (!w) {
        return NULL;
    }
    w->references = 2; /* the item's, and the list's */
    w->operation = *operation;
    w->lane = stream->lane == 0 ? 0 : 1 + (stream->lane - 1) % (LANES - 1);
    w->number = ++numbers[w->lane];
    w->time = ++now;
    memcpy(w->clock, host_clock, sizeof w->clock);
    w->clock[w->lane] = w->number;
    several_lanes = several_lanes || w->lane != 0;
    w->older = newest;
    if (newest) {
        newest->newer = w;
    }
    newest = w;
    pending++;
    return w;
}

void sim_async_release(struct sim_async *w) {
    if (w && --w->references == 0) {
        footprint_clear(&w->footprint);
        free(w);
    }
}

void sim_async_join(struct sim_async *w, const struct sim_async *earlier) {
    if (w && earlier) {
        join(w->clock, earlier->clock);
    }
}

void sim_async_stream_ends(const struct sim_async *last) {
    if (last) {
        join(ended_clock, last->clock);
    }
}

void sim_async_join_ended(struct sim_async *w) {
    if (w) {
        join(w->clock, ended_clock);
    }
}

/* ---- what is remembered */

static void forget(struct sim_async *w) {
    *(w->newer ? &w->newer->older : &newest) = w->older;
    if (w->older) {
        w->older->newer = w->newer;
    }
    ended_count--;
    sim_async_release(w);
}

/* Once nothing is pending, an operation that the host has waited for is ordered with all to
 * come. */
static void forget_waited(void) {
    bool any = pending > 0;
    for (struct sim_async *w = pending ? NULL : newest, *older; w; w = older) {
        older = w->older;
        if (waited(w)) {
            forget(w);
        } else {
            any = true;
        }
    }
    for (; !any && access_count > 0; access_count--) {
        footprint_clear(&accesses[access_count - 1].footprint);
    }
}

static void forget_oldest(void) {
    struct sim_async *oldest = NULL;
    for (struct sim_async *w = newest; w; w = w->older) {
        oldest = w->ended ? w : oldest;
    }
    if (oldest) {
        forget(oldest);
    }
}

void sim_async_waited(const struct sim_async *w) {
    if (w) {
        join(host_clock, w->clock);
        forget_waited();
    }
}

void sim_async_waited_for_all(void) {
    if (sim_checked) {
        join(host_clock, numbers);
        forget_waited();
    }
}

/* ---- reports */

/* "kernel scale", "the copy by cudaMemcpyAsync()" ... */
static const char *describe(const struct sim_operation *o, char *text, size_t size) {
    if (o->kind == SIM_OP_KERNEL) {
        snprintf(text, size, "kernel %s", o->name);
    } else {
        snprintf(text, size, "%s()", o->name);
    }
    return text;
}

static void describe_memory(const void *address, char *text, size_t size) {
    sim_lock_device();
    const struct sim_allocation *a = sim_owner(address);
    if (a) {
        sim_describe_allocation(a, text, size);
    } else {
        snprintf(text, size, "%s", sim_device_end(address) ? "a device variable" : "host memory");
    }
    sim_unlock_device();
}

static struct sim_finding finding(const struct sim_async *w, const char *kind) {
    return (struct sim_finding){
        .kind = kind,
        .kernel = w->operation.kind == SIM_OP_KERNEL ? w->operation.name : NULL,
        .location = w->operation.location};
}

/* `a` ran first. */
static void report_race(const struct sim_async *a, const struct sim_async *b, const void *at) {
    struct sim_finding f = finding(a, "async-race");
    f.other = b->operation.location;
    char first[128], second[128], memory[200];
    describe_memory(at, memory, sizeof memory);
    sim_report_once(&f,
                    "%s and %s in another stream access the same bytes of %s, at least one of them "
                    "writes, and nothing orders the two: let one stream wait for an event of the "
                    "other, or the host for the first",
                    describe(&a->operation, first, sizeof first),
                    describe(&b->operation, second, sizeof second), memory);
}

/* Is it the first finding for this instruction, or call, and operation? */
static bool is_new(const void *pc, const struct sim_location *call,
                   const struct sim_operation *o) {
    static struct {
        const void *pc, *file;
        int line, call_line;
    } known[256];
    static unsigned count;
    for (unsigned i = 0; i < count; i++) {
        if (known[i].pc == pc && known[i].file == o->location.file &&
            known[i].line == o->location.line && known[i].call_line == call->line) {
            return false;
        }
    }
    if (count < sizeof known / sizeof *known) {
        known[count].pc = pc;
        known[count].file = o->location.file;
        known[count].call_line = call->line;
        known[count++].line = o->location.line;
        return true;
    }
    return false;
}

static void report_host(struct sim_async *w, const struct host_access *h, const void *at) {
    w->reported = true;
    if (!is_new(h->pc, &h->location, &w->operation)) {
        return;
    }
    char operation[128], memory[200];
    describe_memory(at, memory, sizeof memory);
    describe(&w->operation, operation, sizeof operation);
    struct sim_finding f = {.kind = h->call ? "pending-work" : "async-race",
                            .location = h->location,
                            .pc = h->pc,
                            .other = w->operation.location};
    if (h->call) {
        sim_report(&f, "%s() ends memory that %s, which was queued at line %d, still uses: wait "
                       "for it first (%s)",
                   h->call, operation, w->operation.location.line, memory);
    } else {
        sim_report(&f,
                   "host code %s %s while %s, which was queued at line %d and %s it, may still run: "
                   "wait for it first, with cudaStreamSynchronize() or an event",
                   h->written ? "writes" : "reads", memory, operation, w->operation.location.line,
                   h->written ? "uses" : "writes");
    }
}

/* ---- comparisons */

/* A byte that both touch and one of them writes; NULL: none. */
static const void *conflict(const struct sim_async *a, const struct sim_async *b) {
    const void *at = footprint_conflict(&a->footprint, &b->footprint);
    for (unsigned i = 0; !at && i < a->operation.range_count; i++) {
        at = range_meets_footprint(&a->operation.ranges[i], &b->footprint);
        for (unsigned k = 0; !at && k < b->operation.range_count; k++) {
            at = ranges_meet(&a->operation.ranges[i], &b->operation.ranges[k]);
        }
    }
    for (unsigned i = 0; !at && i < b->operation.range_count; i++) {
        at = range_meets_footprint(&b->operation.ranges[i], &a->footprint);
    }
    return at;
}

static const void *host_conflict(const struct sim_async *w, const struct sim_range *r) {
    const void *at = w->ended ? range_meets_footprint(r, &w->footprint) : NULL;
    for (unsigned i = 0; !at && i < w->operation.range_count; i++) {
        at = ranges_meet(r, &w->operation.ranges[i]);
    }
    return at;
}

/* ---- the memory of the host that an operation reads */

static bool is_shared(const void *at) {
    return (const char *)at >= shared_from && (const char *)at < shared_to;
}

static uint64_t hash(const struct sim_range *r) {
    uint64_t h = 0, word;
    for (size_t row = 0; row < r->rows; row++) {
        const char *at = (const char *)r->from + row * r->pitch;
        for (size_t i = 0; i < r->bytes; i += sizeof word) {
            word = 0;
            memcpy(&word, at + i, r->bytes - i < sizeof word ? r->bytes - i : sizeof word);
            h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
            h ^= h >> 32;
        }
    }
    return h;
}

/* Does the host own the memory? */
static bool is_hosts(const void *at) {
    sim_lock_device();
    const struct sim_allocation *a = is_shared(at) ? sim_owner(at) : NULL;
    bool answer = a && !a->freed && a->space != SIM_DEVICE_MEMORY;
    sim_unlock_device();
    return answer;
}

/* The range that the operation reads from memory that the host can change, or NULL. */
static const struct sim_range *host_source(const struct sim_async *w) {
    for (unsigned i = 0; i < w->operation.range_count; i++) {
        if (!w->operation.ranges[i].written && is_hosts(w->operation.ranges[i].from)) {
            return &w->operation.ranges[i];
        }
    }
    return NULL;
}

void sim_async_remember_source(struct sim_async *w) {
    const struct sim_range *source = w ? host_source(w) : NULL;
    for (const struct sim_async *other = source ? newest : NULL; other; other = other->older) {
        bool writes = other != w && !other->ended &&
                      (other->operation.kind == SIM_OP_KERNEL ||
                       other->operation.kind == SIM_OP_HOST_CALL);
        for (unsigned i = 0; other != w && !other->ended && i < other->operation.range_count; i++) {
            const struct sim_range *r = &other->operation.ranges[i];
            writes = writes || (r->written && ranges_meet(r, source));
        }
        if (writes) {
            return; /* pending work may change the source, and rightly so */
        }
    }
    if (source) {
        w->snapshot = hash(source);
        w->has_snapshot = true;
    }
}

static void check_source(const struct sim_async *w) {
    if (w->has_snapshot && !w->reported && hash(host_source(w)) != w->snapshot) {
        struct sim_finding f = finding(w, "async-race");
        char operation[128];
        sim_report_once(&f,
                        "host code has changed the memory that %s was to read before it ran: wait "
                        "for it before the memory is used again",
                        describe(&w->operation, operation, sizeof operation));
    }
}

/* Is it on the stack of this thread, in a frame that has returned? */
static bool is_left(const void *at) {
    static _Thread_local char *low;
    if (!low) {
        pthread_attr_t attributes;
        void *base;
        size_t bytes;
        if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
            return false;
        }
        pthread_attr_getstack(&attributes, &base, &bytes);
        pthread_attr_destroy(&attributes);
        low = base;
    }
    return (const char *)at >= low && (const char *)at < (char *)__builtin_frame_address(0);
}

/* Reports memory of the host that is gone. False: it cannot be accessed. */
static bool check_memory(const struct sim_async *w) {
    for (unsigned i = 0; i < w->operation.range_count; i++) {
        const struct sim_range *r = &w->operation.ranges[i];
        struct sim_finding f = finding(w, "pending-work");
        char operation[128];
        describe(&w->operation, operation, sizeof operation);
        if (is_left(r->from)) {
            sim_report_once(&f,
                            "%s uses a local variable of a function that has returned before "
                            "anything waited for the operation",
                            operation);
        }
        if (is_hosts(r->from) && !sim_is_readable(r->from)) {
            sim_report_once(&f, "%s uses host memory that was freed before it ran", operation);
            return false;
        }
    }
    return true;
}

/* ---- running */

bool sim_async_begin(struct sim_async *w) {
    if (!w) {
        return true;
    }
    check_source(w);
    if (w->operation.kind == SIM_OP_HOST_CALL) {
        host_call = w;
        sim_async_waited(w); /* it may tell the host by means of its own */
    }
    return check_memory(w);
}

struct footprint *sim_async_footprint(struct sim_async *w) {
    return w && w->operation.kind == SIM_OP_KERNEL && (several_lanes || shared_to) ? &w->footprint
                                                                                   : NULL;
}

/* What a kernel or a host call has written is no news to a copy that was queued before. */
static void excuse_sources(const struct sim_async *w) {
    for (struct sim_async *other = newest; other; other = other->older) {
        const struct sim_range *source = other->has_snapshot ? host_source(other) : NULL;
        for (size_t row = 0; source && row < source->rows; row++) {
            const char *at = (const char *)source->from + row * source->pitch;
            if (footprint_writes(&w->footprint, at, source->bytes)) {
                other->has_snapshot = false;
            }
        }
    }
}

/* Compares a kernel that has run with what the host did meanwhile. A host that has seen a flag of the
 * kernel's may know what it has done. */
static void compare_with_host(struct sim_async *w) {
    for (unsigned i = 0; i < access_count; i++) {
        const struct host_access *h = &accesses[i];
        if (h->synchronises && footprint_conflict(&w->footprint, &h->footprint)) {
            join(host_clock, w->clock);
            return;
        }
    }
    for (unsigned i = 0; i < access_count; i++) {
        const struct host_access *h = &accesses[i];
        const void *at = h->time >= w->time && !h->synchronises
                             ? footprint_conflict(&w->footprint, &h->footprint)
                             : NULL;
        if (at) {
            report_host(w, h, at);
        }
    }
}

void sim_async_end(struct sim_async *w) {
    if (!w) {
        return;
    }
    host_call = NULL;
    for (const struct sim_async *other = newest; other; other = other->older) {
        const void *at = other != w && other->ended && !are_ordered(w, other) ? conflict(other, w) : NULL;
        if (at) {
            report_race(other, w, at);
        }
    }
    excuse_sources(w);
    compare_with_host(w);
    w->ended = true;
    pending--;
    if (++ended_count > MOST_ENDED) {
        forget_oldest();
    }
    forget_waited();
}

/* ---- the host */

/* Remembers an access for the kernels that are yet to end. */
static void keep_access(const struct host_access *access, const struct sim_range *r) {
    unsigned i = 0;
    while (i < access_count &&
           (accesses[i].pc != access->pc || accesses[i].call != access->call ||
            accesses[i].written != access->written || accesses[i].time != now)) {
        i++;
    }
    if (i == access_count && i < MOST_ACCESSES) {
        accesses[access_count++] = *access;
    }
    if (i < access_count) {
        footprint_add(&accesses[i].footprint, r->from, r->bytes,
                      r->written ? FOOTPRINT_WRITE : FOOTPRINT_READ);
    }
}

/* Compares an access of the host with all work that it has not waited for. */
static void check_host_access(const struct sim_range *r, struct host_access *access) {
    bool any_unended = false;
    access->written = r->written;
    access->time = now;
    for (struct sim_async *w = newest; w; w = w->older) {
        const void *at = waited(w) ? NULL : host_conflict(w, r);
        any_unended = any_unended || !w->ended;
        if (at && access->synchronises && w->ended) {
            join(host_clock, w->clock);
        } else if (at && !access->synchronises) {
            report_host(w, access, at);
        }
    }
    if (any_unended) {
        keep_access(access, r);
    }
}

static void host_access(const void *address, size_t bytes, bool written, bool synchronises,
                        const void *pc) {
    const struct sim_range r = {address, bytes, 0, 1, written};
    if (!is_shared(address) || !newest) {
        return;
    }
    sim_lock_queue();
    if (host_call) {
        footprint_add(&host_call->footprint, address, bytes,
                      written ? FOOTPRINT_WRITE : FOOTPRINT_READ);
    } else {
        struct host_access access = {.pc = pc, .synchronises = synchronises};
        check_host_access(&r, &access);
    }
    sim_unlock_queue();
}

void sim_async_shared_memory(const void *from, size_t bytes) {
    const char *low = from, *high = low + bytes;
    if (!sim_checked || !from) {
        return;
    }
    shared_from = !shared_from || low < shared_from ? low : shared_from;
    shared_to = high > shared_to ? high : shared_to;
    sim_host_access = host_access;
}

void sim_async_memory_ends(const void *from, size_t bytes, const char *call,
                           struct sim_location location) {
    const struct sim_range all = {from, bytes, 0, 1, true};
    if (newest) {
        struct host_access access = {.call = call, .location = location};
        check_host_access(&all, &access);
    }
}

/* ---- the end */

void sim_async_report_pending(void) {
    bool reported[LANES] = {false};
    for (const struct sim_async *w = newest; w; w = w->older) {
        bool works = w->operation.kind <= SIM_OP_HOST_CALL;
        if (waited(w) || !works || reported[w->lane]) {
            continue;
        }
        reported[w->lane] = true;
        struct sim_finding f = finding(w, "pending-work");
        char operation[128];
        sim_report_once(&f,
                        "the program ends, but nothing has waited for %s, which may never run: call "
                        "cudaDeviceSynchronize(), or wait for the stream",
                        describe(&w->operation, operation, sizeof operation));
    }
}
