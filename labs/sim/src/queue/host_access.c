#include "queue/host_access.h"

#include "base/options.h"
#include "exec/fault.h"
#include "memory/allocations.h"
#include "queue/lock.h"
#include "queue/overlap.h"
#include "queue/report.h"

#include <pthread.h>
#include <string.h>

#define MOST_ACCESSES 64

static struct host_access accesses[MOST_ACCESSES];
static unsigned access_count;
static uint64_t known_quiet;                      /* the moment since when they are remembered */
static const char *shared_from, *shared_to;       /* the hull of what host and device share */
static _Thread_local struct sim_async *host_call; /* that this thread runs */

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
    for (const struct sim_async *other = source ? sim_async_newest() : NULL; other;
         other = other->older) {
        bool writes =
            other != w && !other->ended &&
            (other->operation.kind == SIM_OP_KERNEL || other->operation.kind == SIM_OP_HOST_CALL);
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
        const struct sim_finding f = sim_async_finding(w, FOUND_SOURCE_CHANGED);
        sim_report_once(&f);
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
bool sim_async_check_memory(const struct sim_async *w) {
    check_source(w);
    for (unsigned i = 0; i < w->operation.range_count; i++) {
        const struct sim_range *r = &w->operation.ranges[i];
        struct sim_finding f = sim_async_finding(w, FOUND_LOCAL_LEFT);
        if (is_left(r->from)) {
            sim_report_once(&f);
        }
        if (w->freed) {
            return false; /* the heap may use it again */
        }
        if (is_hosts(r->from) && !sim_is_readable(r->from)) {
            f.found = FOUND_HOST_MEMORY_FREED;
            sim_report_once(&f);
            return false;
        }
    }
    return true;
}

/* ---- what the host did */

/* What happened before the host had waited for everything is settled. */
static void forget_accesses(void) {
    if (known_quiet != sim_async_quiet_moments()) {
        known_quiet = sim_async_quiet_moments();
        while (access_count > 0) {
            footprint_clear(&accesses[--access_count].footprint);
        }
    }
}

/* What a kernel or a host call has written is no news to a copy that was queued before. */
static void excuse_sources(const struct sim_async *w) {
    for (struct sim_async *other = sim_async_newest(); other; other = other->older) {
        const struct sim_range *source = other->has_snapshot ? host_source(other) : NULL;
        for (size_t row = 0; source && row < source->rows; row++) {
            const char *at = (const char *)source->from + row * source->pitch;
            if (footprint_writes(&w->footprint, at, source->bytes)) {
                other->has_snapshot = false;
            }
        }
    }
}

/* Compares a kernel that has run with what the host did meanwhile. A host that has seen a flag of
 * the kernel's may know what it has done. */
void sim_async_compare_with_host(struct sim_async *w) {
    excuse_sources(w);
    forget_accesses();
    for (unsigned i = 0; i < access_count; i++) {
        const struct host_access *h = &accesses[i];
        if (h->synchronises && footprint_conflict(&w->footprint, &h->footprint)) {
            sim_async_waited(w);
            return;
        }
    }
    for (unsigned i = 0; i < access_count; i++) {
        const struct host_access *h = &accesses[i];
        const void *at = h->time >= w->time && !h->synchronises
                             ? footprint_conflict(&w->footprint, &h->footprint)
                             : NULL;
        if (at) {
            sim_async_report_host(w, h, at);
        }
    }
}

/* Remembers an access for the kernels that are yet to end. */
static void keep_access(const struct host_access *access, const struct sim_range *r) {
    unsigned i = 0;
    while (i < access_count &&
           (accesses[i].pc != access->pc || accesses[i].call != access->call ||
            accesses[i].written != access->written || accesses[i].time != sim_async_time())) {
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
    forget_accesses();
    bool any_unended = false;
    access->written = r->written;
    access->time = sim_async_time();
    for (struct sim_async *w = sim_async_newest(); w; w = w->older) {
        const void *at = sim_async_is_waited(w) ? NULL : host_conflict(w, r);
        any_unended = any_unended || !w->ended;
        if (at && access->synchronises && w->ended) {
            sim_async_waited(w);
        } else if (at && !access->synchronises) {
            sim_async_report_host(w, access, at);
        }
    }
    if (any_unended) {
        keep_access(access, r);
    }
}

static void host_access(const void *address, size_t bytes, bool written, bool synchronises,
                        const void *pc) {
    const struct sim_range r = {address, bytes, 0, 1, written};
    if (!is_shared(address) || !sim_async_newest()) {
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

static void host_frees(const void *memory, size_t bytes, const char *file, int line) {
    const struct sim_range all = {memory, bytes, 0, 1, true};
    if (!is_shared(memory) || !sim_async_newest()) {
        return;
    }
    sim_lock_queue();
    struct host_access access = {.call = "free", .location = {file, line}};
    check_host_access(&all, &access);
    for (struct sim_async *w = sim_async_newest(); w; w = w->older) {
        w->freed = w->freed || (!w->ended && host_conflict(w, &all));
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
    sim_host_frees = host_frees;
}

void sim_async_memory_ends(const void *from, size_t bytes, const char *call,
                           struct sim_location location) {
    const struct sim_range all = {from, bytes, 0, 1, true};
    if (sim_async_newest()) {
        struct host_access access = {.call = call, .location = location};
        check_host_access(&all, &access);
    }
}

bool sim_async_shares_memory(void) {
    return shared_to != NULL;
}

void sim_async_host_call(struct sim_async *a) {
    host_call = a;
}
