#include "exec/block.h"

#include "base/options.h"
#include "evidence/evidence.h"
#include "exec/async_copies.h"
#include "exec/hooks.h"
#include "exec/lock_step.h"
#include "exec/overlap.h"
#include "exec/park.h"
#include "exec/shared.h"
#include "exec/tile.h"
#include "exec/warp.h"
#include "exec/worker.h"
#include "sim/exchange.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static bool same_place(const struct sim_location *a, const struct sim_location *b) {
    return a->line == b->line && (a->file == b->file || strcmp(a->file, b->file) == 0);
}

/* The running thread waits for its block, or for its grid, at a line of the program. Inline: a
 * barrier costs little more than this. */
static inline __attribute__((always_inline)) unsigned long long
wait_for_all(enum thread_state state, const char *file, int line) {
    struct worker *w = sim_worker;
    const struct thread *leader = w->block.leader;
    if (leader == NULL) {
        w->block.leader = &w->thread[w->lane.thread];
    } else {
        w->block.differs |= line != leader->at.line || file != leader->at.file;
    }
    return sim_wait(w, state, (struct sim_location){file, line}, &w->block.barrier);
}

unsigned long long sim_barrier(int predicate, const char *file, int line) {
    struct worker *w = sim_worker;
    if (predicate) {
        w->warp.state->predicates |= 1u << w->lane.thread % SIM_WARP_SIZE;
    }
    return wait_for_all(AT_BARRIER, file, line);
}

void sim_grid_barrier(const char *file, int line) {
    const struct sim_config *c = sim_worker->block.config;
    if (!c->cooperative) {
        sim_report(&(struct sim_finding){.found = FOUND_NOT_COOPERATIVE,
                                         .kernel = c->kernel,
                                         .location = {file, line},
                                         .block = &blockIdx,
                                         .thread = &threadIdx});
        sim_end_kernel(cudaErrorLaunchFailure);
    }
    wait_for_all(AT_GRID, file, line);
}

int sim_is_cooperative(void) {
    return sim_worker->block.config->cooperative != 0;
}

static const char *awaited(enum thread_state state) {
    return state == AT_BARRIER ? "block"
           : state == AT_GRID  ? "grid"
           : state == AT_TILE  ? "tile"
                               : "warp";
}

/* The first thread in this state; `count` if there is none. */
static unsigned first_in(const struct worker *w, enum thread_state state) {
    unsigned t = 0;
    while (t < w->block.count && sim_state(w, t) != state) {
        t++;
    }
    return t;
}

/* The threads in state `stuck` wait for others, which are in state `elsewhere` or have left. */
static void report_deadlock(struct worker *w, enum thread_state stuck,
                            enum thread_state elsewhere) {
    w->block.failed = cudaErrorLaunchFailure;
    if (w->block.faulted) {
        return; /* they wait for a thread that its error ended */
    }
    unsigned t = first_in(w, stuck);
    struct sim_finding finding = {.found = FOUND_DEADLOCK,
                                  .kernel = w->block.config->kernel,
                                  .location = w->thread[t].at,
                                  .block = &blockIdx,
                                  .thread = &w->index[t],
                                  .awaits = awaited(stuck),
                                  .mask = stuck == AT_WARP ? w->thread[t].mask : 0};
    const unsigned other = first_in(w, elsewhere);
    if (other < w->block.count) {
        finding.other_thread = &w->index[other];
        finding.other_awaits = awaited(elsewhere);
        finding.place = w->thread[other].at;
    }
    sim_report(&finding);
}

/* Do all threads wait at the same barrier but those that have left the kernel at a `return`? */
static bool others_returned(const struct worker *w) {
    bool returned = !w->block.differs;
    for (unsigned i = 0; i < w->block.warp_count && returned; i++) {
        const struct warp *warp = &w->warps[i];
        returned = (warp->lanes & ~(warp->in[AT_BARRIER] | warp->returned)) == 0;
    }
    return returned;
}

/* Reports a thread that has left the kernel or waits at another barrier than the first one. A
 * device goes on with undefined behaviour, or hangs there; but since compute capability 7.0 it does
 * not wait for threads that have returned. In a grade that is an error still: a kernel that lets
 * its threads return before a barrier has forgotten what they were to do before it. */
static void report_divergence(struct worker *w) {
    enum thread_state state = sim_any(w, AT_GRID) ? AT_GRID : AT_BARRIER;
    const bool is_note = others_returned(w) && !evidence_is_open();
    if (w->block.faulted || (is_note && !sim_checked)) {
        return;
    }
    unsigned first = first_in(w, state), other = 0;
    const struct thread *leader = &w->thread[first];
    while (other < w->block.count && sim_state(w, other) == state &&
           same_place(&w->thread[other].at, &leader->at)) {
        other++;
    }
    if (other == w->block.count) {
        return;
    }
    bool left = sim_state(w, other) == DONE;
    struct sim_finding finding = {.severity = is_note ? "note" : NULL,
                                  .found = left ? FOUND_THREAD_LEFT : FOUND_OTHER_BARRIER,
                                  .kernel = w->block.config->kernel,
                                  .location = leader->at,
                                  .block = &blockIdx,
                                  .thread = &w->index[first],
                                  .other_thread = &w->index[other]};
    if (!left) {
        finding.other = w->thread[other].at;
    }
    const struct sim_location *end = &w->thread[other].at;
    if (left && end->file == NULL && end->line > 0) { /* at a return */
        finding.place = (struct sim_location){leader->at.file, end->line};
    }
    sim_report_once(&finding);
}

/* Do the threads that wait for all wait at different places? */
static bool really_differ(const struct worker *w) {
    bool same = true;
    for (unsigned t = 0; t < w->block.count && same; t++) {
        enum thread_state state = sim_state(w, t);
        same = (state != AT_BARRIER && state != AT_GRID) ||
               same_place(&w->thread[t].at, &w->block.leader->at);
    }
    return !same;
}

/* Every thread that is not done waits at a barrier of the block, or of the grid. */
static void arrive(struct worker *w) {
    w->block.differs = w->block.differs && really_differ(w);
    if (w->block.differs || sim_any(w, DONE)) {
        report_divergence(w);
    }
    w->block.leader = NULL;
    w->block.differs = false;
    sim_overlap_join(w);
    if (sim_hooks) {
        sim_hooks->barrier();
    }
}

/* Lets the threads pass the barrier of the block. */
static void pass_barrier(struct worker *w) {
    arrive(w);
    w->block.barrier = 0;
    for (unsigned i = 0; i < w->block.warp_count; i++) {
        uint32_t lanes = w->warps[i].in[AT_BARRIER];
        w->block.barrier += ((unsigned long long)__builtin_popcount(lanes) << 32) +
                            (unsigned long long)__builtin_popcount(lanes & w->warps[i].predicates);
        w->warps[i].predicates = 0;
    }
    sim_wake(w, AT_BARRIER);
}

/* How often the threads of a block that wait in loops try again before other blocks run. A thread
 * that the watch had to interrupt has waited long enough. */
#define PATIENCE 50
/* How many of these tries one is worth by a thread that has polled in vain all the time since the
 * one before, whatever else its block did. */
#define STALLED 5

/* No thread can go on but those that spin. Returns false if they wait for other blocks. */
static bool spin_again(struct worker *w, unsigned *tries) {
    if (w->block.stalled) {
        *tries += STALLED;
    } else {
        *tries = w->block.progress ? 0 : *tries + (w->block.preempted ? PATIENCE : 1);
    }
    if (*tries >= PATIENCE) {
        return false;
    }
    if (*tries > 1 && !sim_hooks) {
        sched_yield(); /* another host thread may hold what they wait for */
    }
    sim_wake(w, SPINNING);
    return true;
}

/* How often the threads of a block take turns before it lets other blocks run at a barrier: it may
 * read again and again there what another block is to write. Each time doubles it. */
static uint64_t slice(const struct worker *w) {
    return (sim_hooks ? (uint64_t)1 << 23 : (uint64_t)1 << 18) << (w->launch.slices & 31);
}

/* Calls `what` for the warps with threads that can go on. */
static void for_each_warp(struct worker *w, void (*what)(struct worker *, unsigned)) {
    for (unsigned i = 0; i < w->block.warp_count && w->block.failed == cudaSuccess; i++) {
        unsigned number = w->launch.reversed ? w->block.warp_count - 1 - i : i;
        const uint32_t *in = w->warps[number].in;
        if (in[READY] | in[AT_VOLATILE] | in[AT_WARP]) {
            what(w, number);
        }
    }
}

/* Runs the block until all of its threads are done, its kernel fails, it waits for others, or it
 * has run for long enough. */
static void run(struct worker *w) {
    unsigned tries = 0;
    const uint64_t last_turn = w->turns + slice(w);
    bool behind_barrier = false;
    w->block.advanced = w->block.progress = false;
    for (;;) {
        w->block.advanced |= w->block.progress;
        w->block.progress = w->block.preempted = w->block.stalled = false;
        if (behind_barrier) { /* all warps make their next accesses before one gets far ahead */
            for_each_warp(w, sim_begin_warp);
        }
        behind_barrier = false;
        for_each_warp(w, sim_settle_warp);
        if (w->block.failed != cudaSuccess) {
            return;
        }
        if (sim_open_tiles(w)) {
            sim_overlap_join(w);
            continue;
        }
        if (sim_any(w, AT_PRIMARY)) {
            return;
        }
        if (sim_any(w, SPINNING) || sim_any(w, AT_VOLATILE)) {
            if (!spin_again(w, &tries)) {
                return;
            }
        } else if (sim_any(w, AT_WARP)) {
            report_deadlock(w, AT_WARP, sim_any(w, AT_GRID) ? AT_GRID : AT_BARRIER);
            return;
        } else if (sim_any(w, AT_TILE)) {
            report_deadlock(w, AT_TILE, sim_any(w, AT_GRID) ? AT_GRID : AT_BARRIER);
            return;
        } else if (sim_any(w, AT_BARRIER) && sim_any(w, AT_GRID)) {
            report_deadlock(w, AT_GRID, AT_BARRIER);
            return;
        } else if (sim_any(w, AT_BARRIER)) {
            if (w->turns > last_turn) {
                w->launch.slices++;
                return;
            }
            pass_barrier(w);
            behind_barrier = sim_hooks == NULL;
        } else {
            if (sim_any(w, AT_GRID)) {
                arrive(w);
            }
            return;
        }
    }
}

static void number_threads(struct worker *w, const dim3 *block) {
    unsigned t = 0;
    for (unsigned z = 0; z < block->z; z++) {
        for (unsigned y = 0; y < block->y; y++) {
            for (unsigned x = 0; x < block->x; x++) {
                w->index[t++] = (uint3){x, y, z};
            }
        }
    }
    w->shape = *block;
}

/* Makes `index` the number of the running block. */
static void number_block(struct worker *w, uint64_t index) {
    const dim3 *grid = &w->block.config->grid;
    uint64_t row = index / grid->x;
    w->block.index = index;
    blockDim =
        (uint3){w->block.config->block.x, w->block.config->block.y, w->block.config->block.z};
    gridDim = (uint3){grid->x, grid->y, grid->z};
    blockIdx =
        (uint3){(unsigned)(index % grid->x), (unsigned)(row % grid->y), (unsigned)(row / grid->y)};
}

/* All threads of the block are ready and have never run. */
static void prepare(struct worker *w) {
    w->block.count = w->block.config->block.x * w->block.config->block.y * w->block.config->block.z;
    w->block.warp_count = (w->block.count + SIM_WARP_SIZE - 1) / SIM_WARP_SIZE;
    memset(w->warps, 0, w->block.warp_count * sizeof *w->warps);
    for (unsigned i = 0; i < w->block.warp_count; i++) {
        unsigned rest = w->block.count - i * SIM_WARP_SIZE;
        uint32_t lanes = rest < SIM_WARP_SIZE ? (1u << rest) - 1 : UINT32_MAX;
        w->warps[i].lanes = w->warps[i].fresh = w->warps[i].in[READY] = lanes;
    }
    if (sim_hooks) {
        memset(w->polls, 0, w->block.count * sizeof *w->polls);
    }
    sim_lock_step_begin(w);
    sim_exchange_begin(w);
    w->block.leader = NULL;
    w->block.differs = false;
    w->block.faulted = false;
}

/* The running block waits for others, has ended or has failed. Returns the error that ends its
 * kernel. */
static cudaError_t leave(struct worker *w) {
    const bool enough = w->block.failed == SIM_ENOUGH;
    bool waits = sim_any(w, AT_GRID) || sim_any(w, SPINNING) || sim_any(w, AT_VOLATILE) ||
                 sim_any(w, AT_BARRIER) || sim_any(w, AT_PRIMARY);
    if (w->block.failed == cudaSuccess && waits && !sim_park(w)) {
        w->block.failed = cudaErrorLaunchOutOfResources;
    }
    if (w->block.failed != cudaSuccess || !waits) {
        sim_async_copies_end(w);
    }
    if (w->block.failed == cudaSuccess && !waits && w->block.faulted) {
        w->launch.fault = w->block.fault;
        /* Traced: the other blocks are checked, too. */
        w->block.failed = sim_hooks ? cudaSuccess : w->block.fault;
    }
    if (w->block.failed != cudaSuccess) {
        sim_abandon_stacks(w);
    }
    if (!waits) {
        sim_overlap_end(w);
        sim_exchange_end(w);
    }
    w->block.failed = enough ? cudaSuccess : w->block.failed;
    w->block.config = NULL;
    w->poisoned = (unsigned)sim_shared_laid_out();
    return w->block.failed;
}

/* Runs a parked block until it waits again, has ended or has failed. */
static cudaError_t resume(struct worker *w, struct parked_block *parked,
                          const struct sim_config *config) {
    enum thread_state from = parked->state;
    w->block.config = config;
    number_block(w, parked->index);
    sim_unpark(w, parked);
    if (from != AT_BARRIER) {
        sim_wake(w, from);
    }
    sim_wake(w, AT_VOLATILE); /* those that others kept waiting all the time */
    run(w);
    return leave(w);
}

/* Takes the list of parked blocks from the worker. */
static struct parked_block *take_parked(struct worker *w) {
    struct parked_block *list = w->launch.parked;
    w->launch.parked = NULL;
    w->launch.last_parked = &w->launch.parked;
    w->launch.parked_count = 0;
    return list;
}

void sim_forget_blocks(void) {
    if (sim_worker) {
        sim_forget_parked(take_parked(sim_worker));
        sim_worker->launch.fault = cudaSuccess;
        sim_worker->launch.slices = 0;
    }
}

/* As many blocks as a device can run at once: more than those need not wait for each other. */
#define MAX_PARKED (SIM_MULTIPROCESSORS * SIM_MULTIPROCESSOR_BLOCKS)

/* Lets each parked block run once. *ran: one could. *progress: one did more than to spin. */
static cudaError_t run_parked(struct worker *w, const struct sim_config *config, bool *ran,
                              bool *progress) {
    for (struct parked_block *it = take_parked(w), *next; it; it = next) {
        next = it->next;
        if (it->state == AT_GRID && !it->open) {
            sim_park_again(w, it);
            continue;
        }
        *ran = true;
        cudaError_t error = resume(w, it, config);
        *progress |= w->block.advanced || w->block.progress || w->block.preempted || !sim_hooks;
        if (error != cudaSuccess) {
            sim_forget_parked(next);
            return error;
        }
    }
    return cudaSuccess;
}

cudaError_t sim_run_block(const struct sim_config *config, uint64_t index, bool reversed,
                          void (*call)(const void *), const void *closure) {
    if (!sim_worker && !(sim_worker = sim_create_worker())) {
        return cudaErrorLaunchOutOfResources;
    }
    struct worker *w = sim_worker;
    __atomic_store_n(&w->begun, w->begun + 1, __ATOMIC_RELAXED); /* another thread reads it */
    if (!config->cooperative && w->launch.parked_count >= MAX_PARKED) {
        bool ran = false, progress = false;
        cudaError_t error = run_parked(w, config, &ran, &progress);
        if (error != cudaSuccess) {
            return error;
        }
    }
    if (memcmp(&w->shape, &config->block, sizeof w->shape) != 0) {
        number_threads(w, &config->block);
    }
    w->block.config = config;
    number_block(w, index);
    if (sim_hooks && !sim_hooks->block_wanted()) {
        w->block.config = NULL;
        return cudaSuccess;
    }
    if (w->launch.call != call) { /* another kernel: no thread has waited in it */
        for (unsigned t = 0; t < SIM_MAX_THREADS; t++) {
            w->thread[t].at.file = NULL;
        }
    }
    w->launch.call = call;
    w->launch.closure = closure;
    w->launch.reversed = reversed;
    w->block.failed = cudaSuccess;
    sim_shared_reset(w, config->shared);
    prepare(w);
    if (sim_hooks) {
        sim_hooks->block_begin(w);
    }
    run(w);
    return leave(w);
}

#define MAX_ROUNDS 3 /* in which no parked block does anything before they are all stuck */

cudaError_t sim_finish_blocks(const struct sim_config *config) {
    struct worker *w = sim_worker;
    unsigned fruitless = 0;
    if (!w) {
        return cudaSuccess;
    }
    while (w->launch.parked) {
        bool ran = false, progress = false;
        cudaError_t error = run_parked(w, config, &ran, &progress);
        if (error != cudaSuccess) {
            return error;
        }
        fruitless = ran && !progress ? fruitless + 1 : 0;
        if (fruitless == MAX_ROUNDS || (!ran && !sim_open_grid(w, config))) {
            sim_report_parked(w, config);
            return cudaErrorLaunchFailure;
        }
    }
    cudaError_t fault = w->launch.fault;
    w->launch.fault = cudaSuccess;
    w->launch.slices = 0;
    return fault;
}
