/* trace/: what a traced program's compiled code calls.
 *
 * The student's file is compiled with -fsanitize=thread and linked with these callbacks instead of
 * the sanitizer's, so that every access of a kernel is reported here. So is every mark of its
 * control flow. A plain program refers to none of them, and so the linker leaves this folder,
 * check/ and profile/ out of it. */
#include "base/options.h"
#include "check/address.h"
#include "check/memcheck.h"
#include "check/quick_access.h"
#include "exec/hooks.h"
#include "exec/lock_step.h"
#include "exec/overlap.h"
#include "memory/footprint.h"
#include "memory/variables.h"
#include "profile/merged_accesses.h"
#include "profile/passes.h"
#include "profile/profile.h"
#include "profile/repeated_loads.h"
#include "profile/warp_replay.h"
#include "trace/confinement.h"
#include "trace/copy_pieces.h"
#include "trace/host_heap.h"
#include "trace/lane_stack.h"
#include "trace/last_reported.h"
#include "trace/recorder.h"
#include "trace/spin.h"
#include "trace/step_values.h"
#include "trace/steps.h"

#include "sim/marks.h"

#include <stdlib.h>
#include <string.h>

/* A traced program runs its kernels on one host thread, so that its counters do not depend on how
 * blocks are divided among threads. */
static struct {
    struct lane_stream streams[SIM_WARP_SIZE];
    struct access_tags tags[SIM_WARP_SIZE];
    struct lane_position positions[SIM_MAX_THREADS];
    bool profiled;   /* the launch is counted */
    bool counted;    /* and so is the running block */
    unsigned thread; /* of it, which runs */
    uint3 block;
    bool exhausted; /* out of memory: the counters of the launch are incomplete */
} trace;

/* An access or a mark is to be passed to steps.h, or counted for a prediction. */
static bool is_watched;

/* The stream of the running thread; NULL outside of kernels and where nothing is counted. */
static _Thread_local struct lane_stream *stream;
static _Thread_local struct access_tags *tags; /* while there is a stream */
static struct {
    uintptr_t from, to;
} shared_memory; /* of the running block */

/* Where only the ends of a launch run: the marks of the running block, about ten tiles of 32x32
 * pixels at most, and no more than these of a thread until it waits. */
#define MOST_MARKS 300000
#define MOST_OF_THREAD 20000
static unsigned marks, last_mark;

static const char *program_base;

extern const char __ehdr_start[];

/* The block that was counted last has ended, if it has not been told before. */
static void end_block(void) {
    if (trace.counted) {
        profile_end_block(&trace.block);
    }
    trace.counted = false;
}

static void launch_begin(const struct sim_config *config) {
    check_launch_begin();
    steps_launch_begin(config);
    program_base = __ehdr_start;
    trace.profiled = profile_begin(config);
    trace.exhausted = false;
    for (unsigned lane = 0; lane < SIM_WARP_SIZE; lane++) { /* of a launch that ended early */
        trace.streams[lane].code_count = trace.streams[lane].address_count = 0;
        trace.tags[lane].count = 0;
    }
}

static void launch_end(const struct sim_config *config, const void *closure) {
    stream = NULL;
    sim_lane_stack = (struct lane_stack){0};
    check_launch_end();
    end_block();
    steps_launch_end();
    profile_write(config, closure, !trace.exhausted);
}

static void watch_block(void) {
    steps_block();
    is_watched = steps_on || sim_options.predict;
}

static void block_begin(const struct worker *w) {
    end_block();
    watch_block();
    marks = 0;
    trace.block = blockIdx;
    trace.counted = trace.profiled && !trace.exhausted && profile_begin_block(&blockIdx);
    if (trace.counted) {
        for (unsigned t = 0; t < w->block.count; t++) {
            position_reset(&trace.positions[t]);
        }
    }
    if (sim_checked) {
        check_block_begin(w);
    }
}

static bool block_wanted(void) {
    return !sim_options.predict || !trace.profiled || profile_counts_block(&blockIdx);
}

static inline uint32_t position(const void *return_address) {
    return (uint32_t)((const char *)return_address - program_base);
}

/* Where a prediction is asked for, the running lane passes the call that returns to pc. */
static void pass(const void *pc) {
    if (sim_options.predict && !passes_add(position(pc))) {
        trace.exhausted = true;
    }
}

static void thread(const struct worker *w, unsigned t) {
    if (steps_on) {
        step_values_settle();
    }
    if (sim_options.predict) {
        passes_next_lane();
    }
    if (sim_checked) {
        check_thread(t);
    }
    stream = trace.counted ? &trace.streams[t % SIM_WARP_SIZE] : NULL;
    trace.thread = t;
    last_mark = marks + MOST_OF_THREAD < MOST_MARKS ? marks + MOST_OF_THREAD : MOST_MARKS;
    tags = &trace.tags[t % SIM_WARP_SIZE];
    sim_overlap_thread(w, t);
    shared_memory.from = (uintptr_t)w->arena;
    shared_memory.to = (uintptr_t)w->dynamic_end;
    sim_lane_stack = (struct lane_stack){w->lane.fiber->stack, w->lane.fiber->bytes};
}

/* What is kept of a block while others run. */
struct kept {
    bool counted;
    uint32_t number; /* of the block, for the checks */
    struct profile_block done;
    struct lane_position positions[]; /* of its threads */
};

static void *block_parks(const struct worker *w) {
    struct kept *kept = malloc(sizeof *kept + w->block.count * sizeof *kept->positions);
    if (kept == NULL) {
        trace.exhausted = true;
        return NULL;
    }
    kept->counted = trace.counted;
    kept->number = sim_checked ? check_block_waits() : 0;
    kept->done = profile_block_parks();
    trace.counted = false;
    memcpy(kept->positions, trace.positions, w->block.count * sizeof *trace.positions);
    return kept;
}

static void block_resumes(const struct worker *w, void *kept) {
    const struct kept *before = kept;
    end_block();
    watch_block();
    trace.block = blockIdx;
    trace.counted = before != NULL && before->counted;
    if (before != NULL) {
        profile_block_resumes(&blockIdx, &before->done);
        memcpy(trace.positions, before->positions, w->block.count * sizeof *trace.positions);
    }
    if (sim_checked) {
        check_block_resumes(w, before != NULL ? before->number : 0);
    }
    free(kept);
}

static void grid_barrier(void) {
    if (sim_checked) {
        race_launch();
    }
}

static const void *last_access; /* or mark: the return address of its callback */

static const void *last_position(void) {
    return last_access ? (const char *)last_access - 1 : NULL;
}

static void barrier(void) {
    if (steps_on) {
        steps_barrier(sim_worker);
    }
    if (sim_checked) {
        race_barrier();
    }
}

static void warp_operation(const struct worker *w, unsigned first, unsigned lanes, bool done) {
    const enum sim_warp_operation operation =
        w->thread[first + (unsigned)__builtin_ctz(lanes)].operation;
    if (steps_on) {
        steps_operation(w, first, lanes, done);
    }
    if (sim_checked && operation == SIM_WARP_BARRIER && !done) {
        race_warp_barrier(first, lanes);
    }
    if (trace.counted && !done && operation != SIM_WARP_BARRIER && operation != SIM_WARP_ACTIVE) {
        profile_exchange(first, lanes);
    }
}

static void note_event(const void *address, uint64_t code) {
    if (!lane_stream_access(stream, code, (uint64_t)(uintptr_t)address)) {
        trace.exhausted = true;
    }
}

/* Counted by itself: textures and surfaces do not use the pipe of loads and stores. */
static void accessed(const void *address, size_t bytes, bool store, const void *pc) {
    if (sim_checked) {
        check_access(address, bytes, store ? RACE_STORE : RACE_LOAD, pc);
    }
    if (stream != NULL && !sim_options.predict) {
        note_event(address, event_access(position(pc), (unsigned)bytes, store, 0) | EVENT_TEXTURE);
    }
}

static void filled(const void *to, size_t bytes) {
    if (sim_checked) {
        address_filled(to, bytes);
    }
}

static void heap_changed(const void *at, size_t bytes) {
    if (sim_checked) {
        check_heap_changed(at, bytes);
    }
}

static void host_receives(const void *from, size_t bytes, struct sim_location location) {
    if (sim_checked) {
        check_copy_to_host(from, bytes, location);
    }
}

static void copied(const void *to, const void *from, size_t bytes) {
    if (sim_checked) {
        address_copied(to, from, bytes);
    }
}

static void count(uint64_t code, const struct profile_request *request,
                  const struct warp_access *access) {
    if (!profile_count(code, request->space, access)) {
        trace.exhausted = true;
    }
}

/* An instruction that is a request to several kinds of memory. */
static __attribute__((noinline)) void count_each(const struct worker *w, uint64_t code,
                                                 const struct warp_access *access) {
    struct warp_access part = *access;
    for (uint32_t left = access->active; left; left &= ~part.active) {
        const struct profile_request request = profile_request(w, code, access, left);
        part.active = request.lanes;
        count(code, &request, &part);
    }
}

static void emit(void *context, uint64_t code, const struct warp_access *access) {
    const struct worker *w = context;
    const struct profile_request request = profile_request(w, code, access, access->active);
    if (request.lanes == access->active) {
        count(code, &request, access);
    } else {
        count_each(w, code, access);
    }
}

/* The same in a block that is recorded. context: its warp. */
struct recorded_warp {
    const struct worker *w;
    unsigned first;
};

static void emit_recorded(void *context, uint64_t code, const struct warp_access *access) {
    const struct recorded_warp *warp = context;
    struct warp_access part = *access;
    for (uint32_t left = access->active; left; left &= ~part.active) {
        const struct profile_request request = profile_request(warp->w, code, access, left);
        const struct profile_counts before = profile_counts(code, request.space);
        part.active = request.lanes;
        if (!(code & EVENT_UNCOUNTED)) {
            count(code, &request, &part);
        }
        const struct profile_counts after = profile_counts(code, request.space);
        steps_instruction(warp->w, warp->first, code, &part, &before, &after);
    }
}

static void warp_waits(const struct worker *w, unsigned first, bool soon) {
    stream = NULL;
    if (soon) {
        if (sim_options.predict && trace.counted) {
            profile_end_warp(); /* each lane's passes until now */
        }
        return;
    }
    if (trace.counted && !trace.exhausted) {
        for (unsigned lane = 0; lane < SIM_WARP_SIZE; lane++) {
            if (trace.tags[lane].count > 0) {
                merge_accesses(&trace.streams[lane], &trace.tags[lane], shared_memory.from,
                               shared_memory.to);
            }
            if (sim_options.predict) {
                remove_repeated_loads(&trace.streams[lane], shared_memory.from, shared_memory.to);
            }
        }
        profile_begin_warp(first);
        if (steps_on) {
            struct recorded_warp warp = {w, first};
            step_values_settle();
            replay_warp(trace.streams, trace.positions + first, UINT32_MAX, emit_recorded, &warp);
            step_values_forget();
        } else {
            replay_warp(trace.streams, trace.positions + first, UINT32_MAX, emit,
                        (void *)(uintptr_t)w);
        }
        if (sim_options.predict) {
            profile_end_warp();
        }
    }
}

static void compares(const void *at, size_t bytes, const void *pc) {
    record_atomic(at, bytes, RACE_COMPARE, true, pc);
}

static const struct sim_hooks hooks = {.launch_begin = launch_begin,
                                       .launch_end = launch_end,
                                       .block_wanted = block_wanted,
                                       .block_begin = block_begin,
                                       .thread = thread,
                                       .block_parks = block_parks,
                                       .block_resumes = block_resumes,
                                       .grid_barrier = grid_barrier,
                                       .position = last_position,
                                       .barrier = barrier,
                                       .warp_operation = warp_operation,
                                       .warp_waits = warp_waits,
                                       .atomic = compares,
                                       .heap_changed = heap_changed,
                                       .accessed = accessed,
                                       .filled = filled,
                                       .host_receives = host_receives,
                                       .copied = copied,
                                       .host_allocated = host_heap_allocated,
                                       .host_frees = host_heap_frees,
                                       .host_room = host_heap_room,
                                       .host_side = confinement_call,
                                       .students_turn = confinement_turn};

/* The running thread ends at a bad access, which no lane's stream holds yet. */
static void fatal_access(const void *address, size_t bytes, bool store, const void *pc) {
    if (steps_on && stream != NULL && bytes <= 16) {
        steps_access(trace.thread % SIM_WARP_SIZE, address, (unsigned)bytes, store, position(pc),
                     false);
        note_event(address,
                   event_access(position(pc), (unsigned)bytes, store, 0) | EVENT_UNCOUNTED);
    }
}

/* After options.c, before the program's own constructors, which may allocate and launch. */
__attribute__((constructor(102))) static void install(void) {
    sim_hooks = &hooks;
    check_fatal = fatal_access;
    if (sim_options.check) {
        check_begin();
    }
}

/* ---- what compiled kernels call */

int sim_mark(unsigned long long mark);

/* Is the address on the stack of the running thread? That is local memory. */
static inline bool is_local(const void *address) {
    return (size_t)((const char *)address - sim_lane_stack.from) < sim_lane_stack.bytes;
}

/* Does an access of a kernel pass the checks for the usual case? */
static inline bool is_usual(const void *address, unsigned bytes, bool store, const void *pc) {
    if (is_local(address)) {
        return true;
    }
    if (!check_quick(address, bytes, store, pc, position((const char *)pc - 1), false)) {
        return false;
    }
    if (sim_footprint != NULL && !check_site_of(pc)->one_block) {
        footprint_add(sim_footprint, address, bytes, store ? FOOTPRINT_WRITE : FOOTPRINT_READ);
    }
    return true;
}

static inline void check(const void *address, unsigned bytes, bool store, const void *pc) {
    if (sim_lane_stack.from == NULL) {
        confine(address, bytes, store, pc);
    }
    if (sim_lane_stack.from == NULL ? sim_host_access == NULL && !sim_is_in_variables(address)
                                    : is_usual(address, bytes, store, pc)) {
        return;
    }
    check_access(address, bytes, store ? RACE_STORE : RACE_LOAD, pc);
}

static __attribute__((noinline)) void watch(const void *address, unsigned width, bool store,
                                            unsigned piece, const void *pc) {
    if (piece == 0) {
        pass(pc);
    }
    if (steps_on) {
        steps_access(trace.thread % SIM_WARP_SIZE, address, width, store, position(pc), true);
    }
}

static inline void note(const void *address, unsigned width, bool store, unsigned piece,
                        const void *pc) {
    const char *at = address;
    if (stream == NULL || is_local(address)) {
        return;
    }
    if (is_watched) {
        watch(address, width, store, piece, pc);
    }
    if (!lane_stream_access(stream, event_access(position(pc), width, store, piece),
                            (uint64_t)(uintptr_t)at)) {
        trace.exhausted = true;
    }
}

/* Its thread does something. */
static void note_atomic(const void *address, size_t bytes, const void *pc) {
    if (stream == NULL || is_local(address)) {
        return;
    }
    if ((uintptr_t)address - shared_memory.from >= shared_memory.to - shared_memory.from) {
        profile_stores(trace.thread);
    }
    if (is_watched) {
        watch(address, (unsigned)bytes, true, 0, pc);
    }
    note_event(address, event_access(position(pc), (unsigned)bytes, true, 0) | EVENT_ATOMIC);
}

static bool atomics_of_block;

void sim_atomics_of_block(int begin) {
    atomics_of_block = begin != 0;
}

void record_atomic(const volatile void *at, size_t bytes, enum race_access how, bool counted,
                   const void *pc) {
    const void *address = (const void *)(uintptr_t)at;
    note_reported(at, bytes, true);
    confine_host(address, bytes, true, pc);
    if (sim_checked) {
        check_atomic(address, bytes, how, atomics_of_block, pc);
    }
    if (spin_note(at, bytes, pc) && sim_checked) {
        race_atomic(address, how, atomics_of_block);
    }
    if (counted) {
        note_atomic(address, bytes, pc);
    }
}

void record_single(const volatile void *at, size_t bytes, bool store, const void *pc) {
    if (!sim_options.predict) {
        note((const void *)(uintptr_t)at, (unsigned)bytes, store, 0, pc);
    }
}

static __attribute__((noinline)) void record_checked(const void *address, unsigned width,
                                                     bool store, const void *pc) {
    check(address, width, store, pc);
    note(address, width, store, 0, pc);
}

static __attribute__((noinline)) void note_access(const void *address, unsigned width, bool store,
                                                  const void *pc) {
    note(address, width, store, 0, pc);
}

/* The same, in functions for each width, which decide the usual cases without a call: so the first
 * saves no register. */
static inline __attribute__((always_inline)) void
record_again(const void *address, unsigned width, bool store,
             void (*usual)(const void *, const void *), const void *pc) {
    if (!check_again(address, width, store, pc)) {
        usual(address, pc);
    } else if (stream != NULL) {
        note_access(address, width, store, pc);
    }
}

static inline __attribute__((always_inline)) void record_usual(const void *address, unsigned width,
                                                               bool store, const void *pc) {
    const bool usual = sim_lane_stack.from != NULL && sim_footprint == NULL &&
                       (is_local(address) || check_quick(address, width, store, pc,
                                                         position((const char *)pc - 1), true));
    if (!usual) {
        record_checked(address, width, store, pc);
    } else if (stream != NULL) {
        note_access(address, width, store, pc);
    }
}

/* Without checks it saves no register: recording spends most of its time here. */
static inline void record(const void *address, unsigned width, bool store,
                          void (*checked)(const void *, const void *), const void *pc) {
    last_access = pc;
    note_reported(address, width, store);
    if (sim_checked) {
        checked(address, pc);
    } else {
        note(address, width, store, 0, pc);
    }
}

/* The program's lanes make volatile accesses together: exec/lock_step.h. */
static bool together;

void sim_note_together(void);
void sim_note_together(void) {
    together = true;
}

/* A volatile access of host code may be a flag's, which tells what a kernel has done. */
static void record_volatile(const void *address, unsigned width, bool store, const void *pc) {
    note_reported(address, width, store);
    if (sim_lane_stack.from == NULL) {
        confine(address, width, store, pc);
    }
    if (sim_lane_stack.from == NULL && sim_host_access != NULL) {
        sim_host_access(address, width, store, true, (const char *)pc - 1);
        return;
    }
    if (together && !is_local(address)) {
        sim_access_together(store, (const char *)pc - 1);
    }
    last_access = pc;
    if (sim_checked) {
        check_volatile(address, width, store ? RACE_STORE : RACE_LOAD, pc);
    }
    note(address, width, store, 0, pc);
}

static void record_polled(const void *address, unsigned width, const void *pc) {
    record_volatile(address, width, false, pc);
    const bool is_shared =
        (uintptr_t)address >= shared_memory.from && (uintptr_t)address < shared_memory.to;
    if (!is_local(address) && spin_note(address, width, pc) && sim_checked && !is_shared) {
        race_atomic(address, RACE_LOAD, false); /* it reads what was written meanwhile */
    }
}

/* Checks a short copy of aligned words, word by word. False: check_unaligned() must decide. */
static bool check_words(const char *at, size_t size, bool store, const void *pc) {
    bool words =
        sim_lane_stack.from != NULL && size <= 64 && size % 4 == 0 && (uintptr_t)at % 4 == 0;
    for (size_t done = 0; words && done < size; done += 4) {
        words = is_usual(at + done, 4, store, pc);
    }
    return words;
}

static bool is_in_shared(const void *address) {
    return (uintptr_t)address >= shared_memory.from && (uintptr_t)address < shared_memory.to;
}

/* Notes a copy in pieces. */
static void note_pieces(const void *address, size_t size, unsigned width, bool store,
                        const void *pc) {
    for (size_t done = 0; done < size; done += width) {
        note((const char *)address + done, width, store, (unsigned)(done / width) & 0xff, pc);
    }
}

/* An access whose address need not be a multiple of its size: a structure's, as a rule, or a packed
 * field's, which the device reads byte by byte. */
static inline void record_unaligned(const void *address, unsigned size, bool store,
                                    const void *pc) {
    note_reported(address, size, store);
    if (sim_lane_stack.from == NULL) {
        confine(address, size, store, pc);
    }
    if (sim_checked) {
        check_unaligned(address, size, store ? RACE_STORE : RACE_LOAD, pc);
    }
    if (stream != NULL) {
        note_pieces(address, size, piece_of(address, size, size, is_in_shared(address)), store, pc);
    }
}

/* A copy of a size that is not a power of two, such as a float3's, or of an object whose address
 * need not be a multiple of its size: the device accesses it in elements. */
static void record_range(const void *address, size_t size, bool store, const void *pc) {
    note_reported(address, size, store);
    if (sim_lane_stack.from == NULL) {
        confine(address, size, store, pc);
    }
    if (sim_checked && !check_words(address, size, store, pc)) {
        check_unaligned(address, size, store ? RACE_STORE : RACE_LOAD, pc);
    }
    note_pieces(address, size, piece_of(address, size, MOST_PIECE, is_in_shared(address)), store,
                pc);
}

void record_access(const void *address, size_t bytes, bool store, const void *pc) {
    if (bytes > 0 && !is_local(address)) {
        last_access = pc;
        record_range(address, bytes, store, pc);
    }
}

/* Does the access need a check? Host code's does if it may concern the device. */
static bool is_checked(const void *address) {
    if (sim_lane_stack.from == NULL) {
        return sim_host_access != NULL || sim_is_in_variables(address);
    }
    return !is_local(address);
}

void record_bytes(void *to, const void *from, size_t bytes, const void *pc) {
    last_access = pc;
    confine_host(to, bytes, true, pc);
    if (from != NULL) {
        confine_host(from, bytes, false, pc);
    }
    if (sim_checked && bytes > 0) {
        if (from != NULL && is_checked(from)) {
            check_unaligned(from, bytes, RACE_LOAD, pc);
        }
        if (is_checked(to)) {
            check_unaligned(to, bytes, RACE_STORE, pc);
        }
    }
    if (stream == NULL || (is_local(to) && (from == NULL || is_local(from)))) {
        return;
    }
    sim_mark(SIM_MARK(SIM_MARK_FUNCTION, 0, 1u));
    for (size_t i = 0; i < bytes; i++) {
        sim_mark(SIM_MARK(SIM_MARK_LOOP, 0, 1u));
        if (from != NULL) {
            note((const char *)from + i, 1, false, 0, pc);
        }
        note((char *)to + i, 1, true, 0, pc);
    }
    sim_mark(SIM_MARK(SIM_MARK_END, 0, 1u));
    sim_mark(SIM_MARK(SIM_MARK_RETURN, 0, 1u));
}

int sim_read_only(const void *at, unsigned long bytes);
int sim_read_only(const void *at, unsigned long bytes) {
    if (sim_checked && sim_lane_stack.from != NULL && !is_local(at)) {
        check_read_only(at, bytes, __builtin_return_address(0));
    }
    return 0;
}

int sim_mark(unsigned long long mark) {
    last_access = __builtin_return_address(0); /* of a loop that accesses nothing */
    if (sim_options.ends && sim_lane_stack.from != NULL && ++marks > last_mark) {
        sim_end_kernel(SIM_ENOUGH);
    }
    if (is_watched && stream != NULL) {
        pass(__builtin_return_address(0));
        steps_mark(mark, position(__builtin_return_address(0)));
    }
    if (stream != NULL && !lane_stream_mark(stream, mark)) {
        trace.exhausted = true;
    }
    return 0;
}

int sim_tag(const void *at, unsigned long long tag);
int sim_tag(const void *at, unsigned long long tag) {
    struct access_tag access = {(uintptr_t)at, tag, 0};
    if (stream != NULL) {
        access.event = stream->code_count;
        if (!access_tags_add(tags, &access)) {
            trace.exhausted = true;
        }
    }
    return 0;
}

#define CALLBACKS(width)                                                                           \
    static __attribute__((noinline)) void usual_read##width(const void *address, const void *pc) { \
        record_usual(address, width, false, pc);                                                   \
    }                                                                                              \
    static __attribute__((noinline)) void usual_write##width(const void *address,                  \
                                                             const void *pc) {                     \
        record_usual(address, width, true, pc);                                                    \
    }                                                                                              \
    static __attribute__((noinline)) void read##width(const void *address, const void *pc) {       \
        record_again(address, width, false, usual_read##width, pc);                                \
    }                                                                                              \
    static __attribute__((noinline)) void write##width(const void *address, const void *pc) {      \
        record_again(address, width, true, usual_write##width, pc);                                \
    }                                                                                              \
    void __tsan_read##width(void *address);                                                        \
    void __tsan_read##width(void *address) {                                                       \
        record(address, width, false, read##width, __builtin_return_address(0));                   \
    }                                                                                              \
    void __tsan_write##width(void *address);                                                       \
    void __tsan_write##width(void *address) {                                                      \
        record(address, width, true, write##width, __builtin_return_address(0));                   \
    }                                                                                              \
    void __tsan_unaligned_read##width(void *address);                                              \
    void __tsan_unaligned_read##width(void *address) {                                             \
        record_unaligned(address, width, false, __builtin_return_address(0));                      \
    }                                                                                              \
    void __tsan_unaligned_write##width(void *address);                                             \
    void __tsan_unaligned_write##width(void *address) {                                            \
        record_unaligned(address, width, true, __builtin_return_address(0));                       \
    }                                                                                              \
    void __tsan_volatile_read##width(void *address);                                               \
    void __tsan_volatile_read##width(void *address) {                                              \
        record_polled(address, width, __builtin_return_address(0));                                \
    }                                                                                              \
    void __tsan_volatile_write##width(void *address);                                              \
    void __tsan_volatile_write##width(void *address) {                                             \
        record_volatile(address, width, true, __builtin_return_address(0));                        \
    }
CALLBACKS(1)
CALLBACKS(2)
CALLBACKS(4)
CALLBACKS(8)
CALLBACKS(16)

void __tsan_read_range(void *address, unsigned long size);
void __tsan_read_range(void *address, unsigned long size) {
    record_range(address, size, false, __builtin_return_address(0));
}
void __tsan_write_range(void *address, unsigned long size);
void __tsan_write_range(void *address, unsigned long size) {
    record_range(address, size, true, __builtin_return_address(0));
}
void __tsan_init(void);
void __tsan_init(void) {
}
void __tsan_func_entry(void *pc);
void __tsan_func_entry(void *pc) {
    (void)pc;
}
void __tsan_func_exit(void);
void __tsan_func_exit(void) {
}
void __tsan_vptr_update(void **at, void *value);
void __tsan_vptr_update(void **at, void *value) {
    (void)value;
    if (sim_lane_stack.from != NULL) { /* a kernel makes an object */
        record(at, sizeof *at, true, write8, __builtin_return_address(0));
        return;
    }
    note_reported(at, sizeof *at, true);
    confine_host(at, sizeof *at, true, __builtin_return_address(0));
}
