#include "check/memcheck.h"

#include "base/options.h"
#include "check/address.h"
#include "check/quick_access.h"
#include "exec/address_space.h"
#include "exec/fault.h"
#include "exec/overlap.h"
#include "exec/shared.h"
#include "memory/allocations.h"
#include "memory/footprint.h"
#include "memory/variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char __ehdr_start[];

#define MAX_REPORTED 256 /* the most different findings of a run */
#define MAX_COMPARED 64  /* bytes of a store: a longer one counts as a change */
#define MAX_GUESSES 8    /* of one thread that wait for their atomicCAS() */

struct check_site check_sites[CHECK_SITES];
bool check_pending;

/* The last store, if check_pending: it happens after its check, and whether it changes anything is
 * known only later. */
static struct {
    struct shadow *shadow;
    size_t first, count, bytes; /* its cells, and its bytes */
    uint32_t oldest;            /* of shadow_cell() */
    const void *address;
    char before[MAX_COMPARED];
    struct race race;
    struct sim_finding finding;
    struct memory_object object;
    uint3 block, thread;
    bool is_flag; /* volatile: to store the same value is fine */
} pending;

/* Plain reads, by the running thread, of what other threads update atomically. Each is a race
 * unless an atomicCAS() of the same thread then verifies the value that it read. */
static struct guess {
    const void *address;
    size_t bytes;
    struct race race;
    struct sim_finding finding;
    struct memory_object object;
    uint3 block, thread;
} guesses[MAX_GUESSES];
static unsigned guess_count;

/* One access of one thread. */
struct access {
    const struct worker *w;
    const char *at;
    size_t bytes;
    enum race_access how;
    const char *pc; /* of the call in the program */
    bool aligned;   /* the device makes one instruction of it, which needs an aligned address */
    bool is_volatile;
    uint32_t flags; /* of the event: SHADOW_BLOCK */
};

void check_begin(void) {
    sim_checked = true;
    sim_shared_gap = 1024;
    /* An index that overflows must not meet another vast array. */
    sim_guard = (size_t)1 << (sim_options.ends ? 35 : 24);
}

/* Was the same finding reported before? Two instructions make one race, in either order. */
static bool is_known(const struct sim_finding *f) {
    static struct {
        const void *low, *high;
        const char *kind, *severity;
    } reported[MAX_REPORTED];
    static unsigned count;
    const void *low = f->pc < f->other_pc ? f->pc : f->other_pc;
    const void *high = f->pc < f->other_pc ? f->other_pc : f->pc;
    for (unsigned i = 0; i < count; i++) {
        if (reported[i].low == low && reported[i].high == high && reported[i].kind == f->kind &&
            reported[i].severity == f->severity) {
            return true;
        }
    }
    if (count < MAX_REPORTED) {
        reported[count].low = low;
        reported[count].high = high;
        reported[count].kind = f->kind;
        reported[count++].severity = f->severity;
    }
    return false;
}

static const char *verb(enum race_access how) {
    return how == RACE_LOAD ? "reads" : how == RACE_STORE ? "writes" : "atomically updates";
}

static struct sim_finding finding(const struct access *a, const char *kind) {
    return (struct sim_finding){.severity = "error",
                                .kind = kind,
                                .kernel = a->w->block.config->kernel,
                                .block = &blockIdx,
                                .thread = &threadIdx,
                                .pc = a->pc};
}

#define WHO "thread (%u,%u,%u) of block (%u,%u,%u)"
#define INDEX(i) (i).x, (i).y, (i).z

static void report_outside(const struct access *a, const struct memory_object *p) {
    struct sim_finding f = finding(a, p->freed ? "use-after-free" : "out-of-bounds");
    if (is_known(&f)) {
        return;
    }
    char owner[512];
    address_describe(p, owner, sizeof owner);
    const char *end = a->at + a->bytes;
    if (p->freed) {
        sim_report(&f, WHO " %s %zu bytes of memory that was already freed: %s", INDEX(threadIdx),
                   INDEX(blockIdx), verb(a->how), a->bytes, owner);
    } else if (a->at < p->from) {
        sim_report(&f, WHO " %s %zu bytes that start %td bytes before %s", INDEX(threadIdx),
                   INDEX(blockIdx), verb(a->how), a->bytes, p->from - a->at, owner);
    } else {
        char place[256] = "";
        const bool is_whole = address_place(p, a->at, a->bytes, place, sizeof place);
        const bool is_dynamic = is_whole && p->kind == MEMORY_DYNAMIC && p->element;
        const size_t asked = (size_t)(p->to - p->from), offset = (size_t)(a->at - p->from);
        sim_report(&f, WHO " %s %zu bytes that reach %td bytes past the end of %s%s%s%s",
                   INDEX(threadIdx), INDEX(blockIdx), verb(a->how), a->bytes, end - p->to, owner,
                   is_whole ? ": " : "", place,
                   is_dynamic ? sim_if_elements(asked, p->element, offset) : "");
    }
}

/* As sim_is_readable(), which asks the operating system: a wrong access that is repeated asks once
 * in a launch. */
static bool is_readable(const char *at) {
    static _Thread_local struct {
        uintptr_t page;
        uint32_t launch;
    } last;
    const uintptr_t page = (uintptr_t)at >> 12; /* no page is smaller */
    if (last.page != page || last.launch != race_time.launch_first) {
        if (!sim_is_readable(at)) {
            return false;
        }
        last.page = page;
        last.launch = race_time.launch_first;
    }
    return true;
}

/* An index into an array of the running thread, which no allocation has. */
bool sim_outside(long long index, unsigned long size, const char *array, const char *file,
                 int line);
bool sim_outside(long long index, unsigned long size, const char *array, const char *file,
                 int line) {
    if (!sim_checked || !sim_on_device()) {
        return false;
    }
    struct sim_finding f = {.kind = "out-of-bounds",
                            .kernel = sim_worker->block.config->kernel,
                            .location = {file, line},
                            .block = &blockIdx,
                            .thread = &threadIdx};
    sim_report_once(&f, WHO " uses element %lld of its own array `%s`, which has 0 to %lu",
                    INDEX(threadIdx), INDEX(blockIdx), index, array, size - 1);
    return true;
}

/* A variable of the running thread that it has not set. */
void sim_unset(const char *name, const char *file, int line);
void sim_unset(const char *name, const char *file, int line) {
    if (!sim_checked || !sim_on_device()) {
        return;
    }
    struct sim_finding f = {.kind = "uninitialised-read",
                            .kernel = sim_worker->block.config->kernel,
                            .location = {file, line},
                            .block = &blockIdx,
                            .thread = &threadIdx};
    sim_report_once(&f,
                    WHO " reads its variable `%s` before anything was stored there: set it where "
                        "it is declared",
                    INDEX(threadIdx), INDEX(blockIdx), name);
}

/* The object in or near which the address would be if an unsigned index of 32 bits, of `*size`
 * bytes each, had not wrapped around below 0. NULL: none. */
static const struct memory_object *before_wrapping(const struct access *a, size_t *size) {
    for (*size = 1; *size <= 16; *size *= 2) {
        const char *meant = (const char *)((uintptr_t)a->at - (*size << 32));
        const struct memory_object *p = address_object(a->w, meant);
        if (p->kind > MEMORY_OWN && meant < p->to && p->from - meant <= 4096) {
            return p;
        }
    }
    return NULL;
}

static void report_unknown(const struct access *a) {
    bool null = (uintptr_t)a->at < 65536;
    bool readable = !null && is_readable(a->at);
    struct sim_finding f = finding(a, readable ? "wrong-space" : "out-of-bounds");
    if (is_known(&f)) {
        return;
    }
    size_t size;
    const struct memory_object *meant = null || readable ? NULL : before_wrapping(a, &size);
    if (meant != NULL) {
        char owner[512];
        address_describe(meant, owner, sizeof owner);
        sim_report(&f,
                   WHO " %s %zu bytes %zu GB behind %s: an unsigned index that is negative wrapped "
                       "to about 4294967295; compute with int",
                   INDEX(threadIdx), INDEX(blockIdx), verb(a->how), a->bytes, size * 4, owner);
    } else if (sim_is_on_any_stack(a->w, a->at)) {
        sim_report(&f,
                   WHO " %s %zu bytes of a local variable of another thread: the local memory of a "
                       "thread is its own; exchange values through shared memory",
                   INDEX(threadIdx), INDEX(blockIdx), verb(a->how), a->bytes);
    } else if (readable) {
        sim_report(&f,
                   WHO " %s %zu bytes of host memory, which the device cannot access: copy "
                       "them with cudaMemcpy() to memory from cudaMalloc()",
                   INDEX(threadIdx), INDEX(blockIdx), verb(a->how), a->bytes);
    } else if (sim_is_never_set((uintptr_t)a->at)) {
        sim_report(&f, WHO " %s %zu bytes through a pointer that was never set: its address is %p",
                   INDEX(threadIdx), INDEX(blockIdx), verb(a->how), a->bytes, (const void *)a->at);
    } else {
        sim_report(&f, WHO " %s %zu bytes %s %p%s", INDEX(threadIdx), INDEX(blockIdx), verb(a->how),
                   a->bytes, null ? "through a null pointer: address" : "at address",
                   (const void *)a->at, null ? "" : ", which belongs to no allocation");
    }
}

static void report_constant(const struct access *a, const struct memory_object *p) {
    struct sim_finding f = finding(a, "wrong-space");
    if (is_known(&f)) {
        return;
    }
    char owner[512];
    address_element(p, a->at, a->bytes, owner, sizeof owner);
    sim_report(&f,
               WHO
               " %s %zu bytes of constant memory, which no kernel can change: %s; the host sets "
               "it with cudaMemcpyToSymbol()",
               INDEX(threadIdx), INDEX(blockIdx), verb(a->how), a->bytes, owner);
}

static void report_misaligned(const struct access *a, const struct memory_object *p) {
    struct sim_finding f = finding(a, "misaligned");
    if (is_known(&f)) {
        return;
    }
    char owner[512], where[64] = "";
    address_describe(p, owner, sizeof owner);
    if (a->at < p->from) {
        snprintf(where, sizeof where, "%td bytes before", p->from - a->at);
    } else if (a->at >= p->to) {
        snprintf(where, sizeof where, "%td bytes past the end of", a->at - p->to);
    } else {
        snprintf(where, sizeof where, "%td bytes into", a->at - p->from);
    }
    sim_report(&f, WHO " %s %zu bytes at once at an address that is not a multiple of %zu: %s %s",
               INDEX(threadIdx), INDEX(blockIdx), verb(a->how), a->bytes, a->bytes, where, owner);
}

/* What to do where cudaMemset() was given the number of elements; "" where it was not. */
static void advise_memset(const struct access *a, const struct memory_object *p, char *text,
                          size_t size) {
    const struct sim_allocation *whole = p->kind == MEMORY_GLOBAL ? sim_owner(p->from) : NULL;
    text[0] = '\0';
    if (whole && whole->set_bytes && whole->set_bytes * a->bytes == whole->bytes) {
        snprintf(text, size,
                 "; cudaMemset() at %s:%d sets %zu of its %zu bytes: it takes a number of bytes; "
                 "multiply the number of elements by their sizeof",
                 whole->set_at.file ? whole->set_at.file : "?", whole->set_at.line,
                 whole->set_bytes, whole->bytes);
    }
}

static void report_unwritten(const struct access *a, const struct memory_object *p, bool in_part) {
    struct sim_finding f = finding(a, "uninitialised-read");
    /* Part of a structure is most likely its padding. */
    f.severity = in_part && (a->bytes > 4 || !a->aligned) ? "note" : "error";
    if (is_known(&f)) {
        return;
    }
    char owner[512], advice[320];
    address_element(p, a->at, a->bytes, owner, sizeof owner);
    advise_memset(a, p, advice, sizeof advice);
    sim_report(&f, WHO " %s %zu bytes%s were never written: %s%s", INDEX(threadIdx),
               INDEX(blockIdx), verb(a->how), a->bytes, in_part ? ", some of which" : " that",
               owner, advice);
}

/* Of the `bytes` bytes at `at` in an object. */
static void report_race(struct sim_finding *f, const struct race *race,
                        const struct memory_object *p, const char *at, size_t bytes,
                        const char *does, uint3 thread, uint3 block, bool same_value) {
    if (is_known(f)) {
        return;
    }
    char owner[512], other[128];
    address_element(p, at, bytes, owner, sizeof owner);
    unsigned t;
    uint64_t number;
    const char *order = "with no barrier between them";
    const char *did = !race->other_stored              ? "reads"
                      : race->other.pc & SHADOW_ATOMIC ? "atomically updates"
                                                       : "writes";
    if (race_thread_of(race->other, &t, &number)) {
        uint3 index = sim_worker->index[t];
        snprintf(other, sizeof other, "thread (%u,%u,%u) of the same block", INDEX(index));
    } else {
        snprintf(other, sizeof other, "another block");
        order = "and either block may run first";
    }
    const char *why = race->lock_without_fence
                          ? ": no __threadfence() follows the atomicCAS() that took the lock"
                      : same_value ? "; both write the same value"
                                   : "";
    sim_report(f, "data race: " WHO " %s and %s %s the same bytes of %s, %s%s", INDEX(thread),
               INDEX(block), does, other, did, owner, order, why);
}

/* The pending store has happened: reports its race, as a note if it changed nothing. */
static void settle(void) {
    if (!check_pending) {
        return;
    }
    race_time.moment++;
    bool changed =
        pending.bytes > MAX_COMPARED || memcmp(pending.before, pending.address, pending.bytes) != 0;
    for (size_t i = pending.first; changed && i < pending.first + pending.count; i++) {
        struct shadow_cell copy;
        struct shadow_cell *cell = shadow_cell(pending.shadow, i, pending.oldest, &copy);
        race_changed(cell, 1);
        shadow_set_cell(pending.shadow, i, pending.oldest, cell);
    }
    check_pending = false;
    if (pending.race.other.segment != 0 && (changed || !pending.is_flag)) {
        pending.finding.severity = changed ? "error" : "note";
        pending.finding.block = &pending.block;
        pending.finding.thread = &pending.thread;
        report_race(&pending.finding, &pending.race, &pending.object, pending.address,
                    pending.bytes, "writes", pending.thread, pending.block, !changed);
    }
}

/* Reports the guesses that no atomicCAS() has verified. */
static void settle_guesses(void) {
    for (unsigned i = 0; i < guess_count; i++) {
        struct guess *g = &guesses[i];
        g->finding.block = &g->block;
        g->finding.thread = &g->thread;
        report_race(&g->finding, &g->race, &g->object, g->address, g->bytes, "reads", g->thread,
                    g->block, false);
    }
    guess_count = 0;
}

static void forget_guesses(const void *address) {
    unsigned kept = 0;
    for (unsigned i = 0; i < guess_count; i++) {
        if (guesses[i].address != address) {
            guesses[kept++] = guesses[i];
        }
    }
    guess_count = kept;
}

static void guess(const struct access *a, const struct race *race, const struct sim_finding *f,
                  const struct memory_object *p) {
    if (guess_count == MAX_GUESSES) {
        settle_guesses();
    }
    guesses[guess_count++] = (struct guess){a->at, a->bytes, *race, *f, *p, blockIdx, threadIdx};
}

static void check_race(const struct access *a, const struct memory_object *p) {
    size_t first, count;
    if (!shadow_cells(p->shadow, a->at, a->bytes, &first, &count)) {
        return;
    }
    bool one_block = p->kind == MEMORY_SHARED || p->kind == MEMORY_DYNAMIC;
    const uint32_t oldest = one_block ? race_time.block_first : race_time.launch_first;
    uint32_t pc = (uint32_t)(a->pc - __ehdr_start) & SHADOW_PC;
    bool is_flag = a->is_volatile && !one_block;
    if (is_flag) {
        pc |= SHADOW_ATOMIC | SHADOW_VOLATILE;
    }
    struct race race = {.other.segment = 0};
    bool may_change = false;
    for (size_t i = first; i < first + count; i++) {
        struct shadow_cell copy, *cell = shadow_cell(p->shadow, i, oldest, &copy);
        const struct race here = race_access(cell, 1, a->how, pc | a->flags, one_block);
        const bool is_race =
            here.other.segment != 0 && !(here.other.pc & SHADOW_ATOMIC && here.other_stored &&
                                         race_is_handed_over(a->at, here.other));
        if (is_race && (race.other.segment == 0 || race.same_value)) {
            race = here;
        }
        may_change |= race_may_change(cell, 1);
        shadow_set_cell(p->shadow, i, oldest, cell);
    }
    if (is_flag) {
        race_atomic(a->at, a->how, false);
    }
    struct sim_finding f = finding(a, one_block ? "shared-race" : "global-race");
    if (race.other.segment != 0) {
        f.other_pc = __ehdr_start + (race.other.pc & SHADOW_PC);
    }
    if (a->how == RACE_STORE && (race.other.segment != 0 || may_change)) {
        check_pending = true;
        pending.shadow = p->shadow;
        pending.first = first;
        pending.count = count;
        pending.oldest = oldest;
        pending.bytes = a->bytes;
        pending.address = a->at;
        memcpy(pending.before, a->at, a->bytes < MAX_COMPARED ? a->bytes : MAX_COMPARED);
        pending.race.other.segment = 0;
    }
    if (a->how == RACE_COMPARE) {
        forget_guesses(a->at);
    }
    if (race.other.segment == 0) {
        return;
    }
    if (a->how == RACE_LOAD && !is_flag && race.other.pc & SHADOW_ATOMIC) {
        guess(a, &race, &f, p);
    } else if (race.same_value) {
        pending.race = race;
        pending.finding = f;
        pending.object = *p;
        pending.is_flag = is_flag;
        pending.block = blockIdx;
        pending.thread = threadIdx;
    } else {
        report_race(&f, &race, p, a->at, a->bytes, verb(a->how), threadIdx, blockIdx, false);
    }
}

static bool is_power_of_two(size_t n) {
    return (n & (n - 1)) == 0;
}

static void check_inside(const struct access *a, const struct memory_object *p) {
    if (a->is_volatile || a->how == RACE_ATOMIC || a->how == RACE_COMPARE) {
        sim_overlap_learn();
    }
    if (sim_footprint && p->kind != MEMORY_SHARED && p->kind != MEMORY_DYNAMIC) {
        footprint_add(sim_footprint, a->at, a->bytes,
                      a->how == RACE_LOAD    ? FOOTPRINT_READ
                      : a->how == RACE_STORE ? FOOTPRINT_WRITE
                                             : FOOTPRINT_ATOMIC);
    }
    *check_site_of(a->pc + 1) =
        (struct check_site){.from = p->from,
                            .size = (size_t)(p->to - p->from),
                            .shadow = p->shadow,
                            .one_block = p->kind == MEMORY_SHARED || p->kind == MEMORY_DYNAMIC};
    if (p->shadow == NULL) {
        return;
    }
    if (a->how != RACE_STORE) {
        size_t known = shadow_written(p->shadow, a->at, a->bytes);
        /* A thread that its error ended might have written it. */
        if (known < a->bytes && !a->w->block.faulted) {
            report_unwritten(a, p, known > 0);
        }
    }
    if (a->how != RACE_LOAD) {
        shadow_set_written(p->shadow, a->at, a->bytes, true);
    }
    check_race(a, p);
}

/* An access of host code. It must not access device variables, although it can in this process. */
static void check_host(const struct access *a) {
    const struct sim_variable *v = address_variable(a->at);
    struct sim_finding f = {.severity = "error", .kind = "wrong-space", .pc = a->pc};
    if (v != NULL && !is_known(&f)) {
        sim_report(&f,
                   "host code %s %s (declared at %s:%d), which is device memory: copy it with "
                   "cudaMemcpy%sSymbol()",
                   verb(a->how), v->name, v->file, v->line, a->how == RACE_LOAD ? "From" : "To");
    }
}

/* g++ also reports a cast as unaligned if it knows the variable below, such as
 * *(int *)((char *)&counter + 1): a variable of just this size is meant as a whole. */
static bool is_misaligned(const struct access *a, const struct memory_object *p) {
    bool whole = a->aligned || (size_t)(p->to - p->from) == a->bytes;
    return whole && a->bytes <= 16 && is_power_of_two(a->bytes) && (uintptr_t)a->at % a->bytes != 0;
}

void (*check_fatal)(const void *address, size_t bytes, bool store, const void *pc);

/* The thread makes no more access after this one. */
static void end_thread(const struct access *a, cudaError_t error) {
    if (check_fatal) {
        check_fatal(a->at, a->bytes, a->how != RACE_LOAD, a->pc + 1);
    }
    sim_end_thread(error);
}

static void check(const struct access *a) {
    const struct worker *w = a->w;
    if (w == NULL || w->block.config == NULL) {
        if (sim_host_access) {
            /* A volatile variable may be a flag, which tells what a kernel has done. */
            const bool flag = a->is_volatile || a->how == RACE_ATOMIC || a->how == RACE_COMPARE;
            sim_host_access(a->at, a->bytes, a->how == RACE_STORE, flag, a->pc);
        }
        if (sim_is_in_variables(a->at)) {
            check_host(a);
        }
        return;
    }
    settle();
    race_time.moment++;
    if (a->at >= w->lane.fiber->stack && a->at < w->lane.fiber->stack + w->lane.fiber->bytes) {
        return; /* local memory of the thread */
    }
    const struct memory_object *p = address_object(w, a->at);
    if (p->kind == MEMORY_OWN) {
        *check_site_of(a->pc + 1) =
            (struct check_site){.from = p->near, .size = (size_t)(p->far - p->near)};
        return;
    }
    const char *meant = p->kind == MEMORY_UNKNOWN ? sim_shared_wrapped(a->at) : NULL;
    if (meant) {
        struct access again = *a;
        again.at = meant;
        check(&again);
        return;
    }
    if (p->kind == MEMORY_UNKNOWN) {
        report_unknown(a);
        end_thread(a, cudaErrorIllegalAddress);
    }
    if (!p->freed && is_misaligned(a, p)) { /* the device notices this before anything else */
        report_misaligned(a, p);
        end_thread(a, cudaErrorMisalignedAddress);
    }
    if (p->freed || a->at < p->from || a->at + a->bytes > p->to) {
        if (sim_footprint && p->freed) { /* perhaps by a stream that nothing orders with this one */
            footprint_add(sim_footprint, a->at, a->bytes, FOOTPRINT_READ);
        }
        report_outside(a, p);
        if (p->freed || !is_readable(a->at)) {
            end_thread(a, cudaErrorIllegalAddress);
        }
        return;
    }
    if (p->kind == MEMORY_CONSTANT && a->how != RACE_LOAD) {
        report_constant(a, p);
        end_thread(a, cudaErrorIllegalAddress);
    }
    check_inside(a, p);
}

void check_access(const void *address, size_t bytes, enum race_access how, const void *pc) {
    check(&(struct access){sim_worker, address, bytes, how, (const char *)pc - 1, true, false, 0});
}

void check_atomic(const void *address, size_t bytes, enum race_access how, bool of_block,
                  const void *pc) {
    check(&(struct access){sim_worker, address, bytes, how, (const char *)pc - 1, true, false,
                           of_block ? SHADOW_BLOCK : 0});
    if (sim_on_device()) {
        race_atomic(address, how, of_block);
    }
}

void check_unaligned(const void *address, size_t bytes, enum race_access how, const void *pc) {
    check(&(struct access){sim_worker, address, bytes, how, (const char *)pc - 1, false, false, 0});
}

void check_volatile(const void *address, size_t bytes, enum race_access how, const void *pc) {
    check(&(struct access){sim_worker, address, bytes, how, (const char *)pc - 1, true, true, 0});
}

void check_read_only(const void *address, size_t bytes, const void *pc) {
    const struct access a = {sim_worker,           address, bytes, RACE_LOAD,
                             (const char *)pc - 1, true,    false, 0};
    settle();
    const struct memory_object *p = address_object(a.w, a.at);
    size_t first, count;
    if (p->kind <= MEMORY_OWN || p->freed || p->shadow == NULL || a.at < p->from ||
        a.at + bytes > p->to || !shadow_cells(p->shadow, a.at, bytes, &first, &count)) {
        return; /* the load itself is checked next */
    }
    for (size_t i = first; i < first + count; i++) {
        struct shadow_cell copy;
        const uint32_t oldest = race_time.launch_first;
        const struct shadow_event write = shadow_cell(p->shadow, i, oldest, &copy)->write;
        struct sim_finding f = finding(&a, "read-only");
        f.other_pc = __ehdr_start + (write.pc & SHADOW_PC);
        if (write.segment >= oldest && !is_known(&f)) {
            char owner[512];
            address_describe(p, owner, sizeof owner);
            sim_report(&f,
                       WHO " uses __ldg() on %zu bytes that this kernel has written, of %s: its "
                           "cache may hold what was there before; load them without __ldg()",
                       INDEX(threadIdx), INDEX(blockIdx), bytes, owner);
            return;
        }
    }
}

void check_copy_to_host(const void *from, size_t bytes, struct sim_location location) {
    size_t unwritten = address_unwritten(from, bytes);
    struct sim_finding f = {.severity = "note", .kind = "uninitialised-read", .location = location};
    if (unwritten > 0) {
        char array[160];
        sim_describe_allocation(sim_owner(from), array, sizeof array);
        sim_report_once(&f, "this copy reads %zu bytes that were never written, from %s", unwritten,
                        array);
    }
}

void check_heap_changed(const void *at, size_t bytes) {
    settle();
    race_time.moment++;
    memset(check_sites, 0, sizeof check_sites);
    address_forget();
    const struct memory_object *p = address_object(sim_worker, at);
    if (bytes > 0 && p->shadow) {
        shadow_set_written(p->shadow, at, bytes, false);
    }
}

void check_launch_begin(void) {
    memset(check_sites, 0, sizeof check_sites);
    address_forget();
    race_launch();
    race_forget_forms();
}

void check_launch_end(void) {
    settle();
    settle_guesses();
    race_time.moment++; /* what host code accesses now is not known */
}

void check_block_begin(const struct worker *w) {
    settle();
    settle_guesses();
    address_begin_block(w);
    race_block();
}

uint32_t check_block_waits(void) {
    settle();
    settle_guesses();
    return race_block_waits();
}

void check_block_resumes(const struct worker *w, uint32_t number) {
    settle();
    settle_guesses();
    address_forget();
    address_resume_block(w);
    race_block_resumes(number);
}

void check_thread(unsigned t) {
    settle();
    settle_guesses();
    race_thread(t);
}
