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

#include <stdlib.h>
#include <string.h>

extern const char __ehdr_start[];

#define MAX_REPORTED 256 /* the most different findings of a run */
#define MAX_COMPARED 64  /* bytes of a store: a longer one counts as a change */
#define MAX_GUESSES 8    /* of one thread that wait for their atomicCAS() */

struct check_site check_sites[CHECK_SITES];
bool check_pending;

/* An access that may race with an earlier one. */
struct racing {
    struct race race;
    const char *at;
    size_t bytes;
    const char *verb, *kernel;
    const void *pc;
    struct memory_object object;
    uint3 block, thread;
};

/* The last store, if check_pending: it happens after its check, and whether it changes anything is
 * known only later. */
static struct {
    struct shadow *shadow;
    size_t first, count;  /* its cells */
    uint32_t oldest;      /* of shadow_cell() */
    struct racing racing; /* if it may race: racing.race.other.segment is not 0 */
    char before[MAX_COMPARED];
    struct race of_cell[MAX_COMPARED]; /* that a cell may be part of */
    bool is_flag;                      /* volatile: to store the same value is fine */
} pending;

/* Plain reads, by the running thread, of what other threads update atomically. Each is a race
 * unless an atomicCAS() of the same thread then verifies the value that it read. */
static struct racing guesses[MAX_GUESSES];
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
}

/* Was the same finding reported before? Two instructions make one race, in either order. */
static bool is_known(const struct sim_finding *f) {
    static struct {
        const void *low, *high;
        enum finding_kind found;
        bool is_note;
    } reported[MAX_REPORTED];
    static unsigned count;
    const void *low = f->pc < f->other_pc ? f->pc : f->other_pc;
    const void *high = f->pc < f->other_pc ? f->other_pc : f->pc;
    const bool is_note = f->severity != NULL;
    for (unsigned i = 0; i < count; i++) {
        if (reported[i].low == low && reported[i].high == high && reported[i].is_note == is_note &&
            sim_same_kind(reported[i].found, f->found)) {
            return true;
        }
    }
    if (count < MAX_REPORTED) {
        reported[count].low = low;
        reported[count].high = high;
        reported[count].found = f->found;
        reported[count++].is_note = is_note;
    }
    return false;
}

static const char *verb(enum race_access how) {
    return how == RACE_LOAD ? "read" : how == RACE_STORE ? "write" : "atomic";
}

static struct sim_finding finding(const struct access *a, enum finding_kind found) {
    return (struct sim_finding){.found = found,
                                .kernel = a->w->block.config->kernel,
                                .block = &blockIdx,
                                .thread = &threadIdx,
                                .block_size = &blockDim,
                                .pc = a->pc,
                                .verb = verb(a->how),
                                .bytes = a->bytes};
}

/* Reports what has not been reported yet of an access in, or near, an object. */
static bool report_in(const struct access *a, const struct memory_object *p, struct sim_finding f) {
    const bool is_new = !is_known(&f);
    if (is_new) {
        f.object = address_described(p);
        f.offset = a->at - p->from;
        sim_report(&f);
    }
    return is_new;
}

/* The object in or near which the address would be if an unsigned index of 32 bits, of `*size`
 * bytes each, had not wrapped around below 0. NULL: none. */
static const struct memory_object *before_wrapping(const struct access *a, size_t *size) {
    for (*size = 16; *size > 0; *size /= 2) {
        const char *meant = (const char *)((uintptr_t)a->at - (*size << 32));
        const struct memory_object *p = address_object(a->w, meant);
        if (p->kind > MEMORY_OWN && meant < p->to && p->from - meant <= 4096) {
            return p;
        }
    }
    return NULL;
}

static void report_wrapped(struct sim_finding *f, const struct memory_object *meant, size_t size) {
    f->found = FOUND_WRAPPED;
    f->object = address_described(meant);
    f->value = (long long)size * 4; /* GB */
    sim_report(f);
}

static void report_outside(const struct access *a, const struct memory_object *p) {
    struct sim_finding f = finding(a, p->freed          ? FOUND_FREED
                                      : a->at < p->from ? FOUND_BEFORE
                                                        : FOUND_PAST_END);
    if (is_known(&f)) {
        return;
    }
    f.object = address_described(p);
    f.offset = a->at - p->from;
    if (f.found == FOUND_BEFORE) {
        f.cause = sim_if_overflow(p->from, p->to, a->at);
    } else if (p->kind == MEMORY_DYNAMIC) {
        f.cause = sim_if_elements((size_t)(p->to - p->from), p->element, a->at - p->from);
    }
    size_t size;
    const bool is_far = f.found == FOUND_PAST_END && a->at - p->to > 1 << 30;
    const struct memory_object *meant = is_far ? before_wrapping(a, &size) : NULL;
    if (meant) {
        report_wrapped(&f, meant, size);
    } else {
        sim_report(&f);
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

/* Reports an index of 0 to size - 1 that is another. False: nothing is checked now. */
static bool report_index(enum finding_kind found, long long index, unsigned long size,
                         const char *array, struct sim_location location) {
    if (!sim_checked || !sim_on_device()) {
        return false;
    }
    sim_report_once(&(struct sim_finding){.found = found,
                                          .kernel = sim_worker->block.config->kernel,
                                          .location = location,
                                          .block = &blockIdx,
                                          .thread = &threadIdx,
                                          .text = array,
                                          .value = index,
                                          .limit = (long long)size - 1});
    return true;
}

/* An index into an array of the running thread, which no allocation has. */
bool sim_outside(long long index, unsigned long size, const char *array, const char *file,
                 int line);
bool sim_outside(long long index, unsigned long size, const char *array, const char *file,
                 int line) {
    return report_index(FOUND_OWN_ARRAY, index, size, array, (struct sim_location){file, line});
}

/* A column of a __shared__ array. */
bool sim_outside_row(long long index, unsigned long size, const char *array, const char *file,
                     int line);
bool sim_outside_row(long long index, unsigned long size, const char *array, const char *file,
                     int line) {
    report_index(FOUND_ROW, index, size, array, (struct sim_location){file, line});
    return false;
}

/* An element of such an array that the thread has not set. */
void sim_unset_element(long long index, const char *array, const char *file, int line);
void sim_unset_element(long long index, const char *array, const char *file, int line) {
    report_index(FOUND_UNSET_ELEMENT, index, 0, array, (struct sim_location){file, line});
}

/* A variable of the running thread that it has not set. */
void sim_unset(const char *name, const char *file, int line);
void sim_unset(const char *name, const char *file, int line) {
    if (!sim_checked || !sim_on_device()) {
        return;
    }
    sim_report_once(&(struct sim_finding){.found = FOUND_UNSET,
                                          .kernel = sim_worker->block.config->kernel,
                                          .location = {file, line},
                                          .block = &blockIdx,
                                          .thread = &threadIdx,
                                          .text = name});
}

/* What such an address is, if it is not one that has wrapped around. */
static enum finding_kind unknown_address(const struct access *a, bool null, bool readable) {
    return sim_is_on_any_stack(a->w, a->at)     ? readable ? FOUND_LOCAL : FOUND_STACK_GUARD
           : readable                           ? FOUND_HOST_MEMORY
           : sim_is_never_set((uintptr_t)a->at) ? FOUND_NEVER_SET
           : null                               ? FOUND_NULL
                                                : FOUND_NO_ALLOCATION;
}

static void report_unknown(const struct access *a) {
    const bool null = (uintptr_t)a->at < 65536, readable = !null && is_readable(a->at);
    struct sim_finding f = finding(a, unknown_address(a, null, readable));
    if (is_known(&f)) {
        return;
    }
    size_t size;
    const struct memory_object *meant = null || readable ? NULL : before_wrapping(a, &size);
    if (meant != NULL) {
        report_wrapped(&f, meant, size);
        return;
    }
    f.address = readable ? NULL : a->at;
    sim_report(&f);
}

static void report_unwritten(const struct access *a, const struct memory_object *p, bool in_part) {
    struct sim_finding f = finding(a, in_part ? FOUND_UNWRITTEN_PART : FOUND_UNWRITTEN);
    /* Part of a structure is most likely its padding. */
    f.severity = in_part && (a->bytes > 4 || !a->aligned) ? "note" : NULL;
    const struct sim_allocation *whole = p->kind == MEMORY_GLOBAL ? sim_owner(p->from) : NULL;
    if (whole && whole->set_bytes && whole->set_bytes * a->bytes == whole->bytes) {
        f.cause = "elements"; /* cudaMemset() was given their number */
        f.value = (long long)whole->set_bytes;
        f.place = whole->set_at;
    }
    report_in(a, p, f);
}

/* is_same: it stores the value that is there, so that the race is only a note. */
static void report_race(const struct racing *r, bool is_same) {
    const struct memory_object *p = &r->object;
    const bool one_block = p->kind == MEMORY_SHARED || p->kind == MEMORY_DYNAMIC;
    struct sim_finding f = {.found = one_block ? FOUND_SHARED_RACE : FOUND_GLOBAL_RACE,
                            .severity = is_same ? "note" : NULL,
                            .pc = r->pc,
                            .other_pc = __ehdr_start + (r->race.other.pc & SHADOW_PC)};
    if (is_known(&f)) {
        return;
    }
    unsigned t;
    uint64_t number;
    f.kernel = r->kernel; /* the launch may have ended */
    f.block = &r->block;
    f.thread = &r->thread;
    f.other_thread = race_thread_of(r->race.other, &t, &number) ? &sim_worker->index[t] : NULL;
    f.verb = r->verb;
    const uint32_t kind = r->race.other.pc & (SHADOW_ATOMIC | SHADOW_VOLATILE);
    f.other_verb = !r->race.other_stored ? "read" : kind == SHADOW_ATOMIC ? "atomic" : "write";
    f.bytes = r->bytes;
    f.object = address_described(p);
    f.offset = r->at - p->from;
    f.cause = r->race.lock_without_fence ? "lock-without-fence" : is_same ? "same-value" : NULL;
    sim_report(&f);
}

/* Has the pending store changed cell i of those that it covers? */
static bool is_changed(size_t i) {
    const struct racing *r = &pending.racing;
    const size_t size = (size_t)1 << pending.shadow->shift;
    const char *cell = pending.shadow->base + (pending.first + i) * size;
    const size_t from = cell < r->at ? 0 : (size_t)(cell - r->at);
    const size_t to = (size_t)(cell + size - r->at);
    return r->bytes > MAX_COMPARED ||
           memcmp(pending.before + from, r->at + from, (to < r->bytes ? to : r->bytes) - from) != 0;
}

/* The pending store has happened: reports its race, as a note if it changed nothing. */
static void settle(void) {
    if (!check_pending) {
        return;
    }
    race_time.moment++;
    struct racing *r = &pending.racing;
    const bool is_racing = r->race.other.segment != 0;
    bool changed = false; /* in a cell that is part of a race */
    for (size_t i = 0; i < pending.count; i++) {
        if (!is_changed(i)) {
            continue;
        }
        struct shadow_cell copy;
        struct shadow_cell *cell =
            shadow_cell(pending.shadow, pending.first + i, pending.oldest, &copy);
        race_changed(cell, 1);
        shadow_set_cell(pending.shadow, pending.first + i, pending.oldest, cell);
        if (is_racing && !changed && i < MAX_COMPARED && pending.of_cell[i].other.segment != 0) {
            changed = true;
            r->race = pending.of_cell[i];
        }
    }
    check_pending = false;
    if (is_racing && (changed || r->bytes > MAX_COMPARED || !pending.is_flag)) {
        report_race(r, !changed && r->bytes <= MAX_COMPARED);
    }
}

/* Reports the guesses that no atomicCAS() has verified. */
static void settle_guesses(void) {
    for (unsigned i = 0; i < guess_count; i++) {
        report_race(&guesses[i], false);
    }
    guess_count = 0;
}

static void forget_guesses(const void *address) {
    unsigned kept = 0;
    for (unsigned i = 0; i < guess_count; i++) {
        if (guesses[i].at != address) {
            guesses[kept++] = guesses[i];
        }
    }
    guess_count = kept;
}

static void guess(const struct racing *r) {
    if (guess_count == MAX_GUESSES) {
        settle_guesses();
    }
    guesses[guess_count++] = *r;
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
        if (i - first < MAX_COMPARED) {
            pending.of_cell[i - first] = is_race ? here : (struct race){.other.segment = 0};
        }
        shadow_set_cell(p->shadow, i, oldest, cell);
    }
    if (is_flag) {
        race_atomic(a->at, a->how, false);
    }
    if (a->how == RACE_STORE && (race.other.segment != 0 || may_change)) {
        check_pending = true;
        pending.shadow = p->shadow;
        pending.first = first;
        pending.count = count;
        pending.oldest = oldest;
        pending.racing.bytes = a->bytes;
        pending.racing.at = a->at;
        memcpy(pending.before, a->at, a->bytes < MAX_COMPARED ? a->bytes : MAX_COMPARED);
        pending.racing.race.other.segment = 0;
    }
    if (a->how == RACE_COMPARE) {
        forget_guesses(a->at);
    }
    if (race.other.segment == 0) {
        return;
    }
    const struct racing r = {.race = race,
                             .at = a->at,
                             .bytes = a->bytes,
                             .verb = verb(a->how),
                             .kernel = a->w->block.config->kernel,
                             .pc = a->pc,
                             .object = *p,
                             .block = blockIdx,
                             .thread = threadIdx};
    if (a->how == RACE_LOAD && !is_flag && race.other.pc & SHADOW_ATOMIC) {
        guess(&r);
    } else if (race.same_value) {
        pending.racing = r;
        pending.is_flag = is_flag;
    } else {
        report_race(&r, false);
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
    struct sim_finding f = {.found = FOUND_DEVICE_VARIABLE, .pc = a->pc, .verb = verb(a->how)};
    if (v != NULL && !is_known(&f)) {
        f.object = (struct sim_object){.space = sim_is_constant(v->address) ? "constant" : "global",
                                       .name = v->name,
                                       .bytes = v->bytes,
                                       .made = {v->file, v->line}};
        sim_report(&f);
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
        report_in(a, p, finding(a, FOUND_MISALIGNED));
        end_thread(a, cudaErrorMisalignedAddress);
    }
    if (p->freed || a->at < p->from || a->at + a->bytes > p->to) {
        if (sim_footprint && p->freed) { /* perhaps by a stream that nothing orders with this one */
            footprint_add(sim_footprint, a->at, a->bytes, FOOTPRINT_READ);
        }
        const bool is_freed = p->freed; /* other objects may take its place */
        report_outside(a, p);
        if (is_freed || !is_readable(a->at)) {
            end_thread(a, cudaErrorIllegalAddress);
        }
        return;
    }
    if (p->kind == MEMORY_CONSTANT && a->how != RACE_LOAD) {
        report_in(a, p, finding(a, FOUND_CONSTANT));
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

void check_first_value(const void *address, size_t bytes) {
    const struct worker *w = sim_worker;
    if (w == NULL || w->block.config == NULL) {
        return;
    }
    const char *at = address;
    const struct memory_object *p = address_object(w, at);
    if (p->kind > MEMORY_OWN && !p->freed && p->shadow && at >= p->from && at + bytes <= p->to) {
        shadow_set_written(p->shadow, at, bytes, true);
    }
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
        if (write.segment >= oldest) {
            struct sim_finding f = finding(&a, FOUND_READ_ONLY);
            f.other_pc = __ehdr_start + (write.pc & SHADOW_PC);
            if (report_in(&a, p, f)) {
                return;
            }
        }
    }
}

void check_copy_to_host(const void *from, size_t bytes, struct sim_location location) {
    size_t unwritten = address_unwritten(from, bytes);
    if (unwritten > 0) {
        sim_report_once(&(struct sim_finding){.found = FOUND_UNWRITTEN_COPY,
                                              .severity = "note",
                                              .location = location,
                                              .bytes = unwritten,
                                              .object = sim_object_of(sim_owner(from))});
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
