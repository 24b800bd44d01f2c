/* A thread keeps its stack only while it waits; the next thread then takes another. A kernel
 * without barriers is therefore a plain loop on one stack. */
#include "exec/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

_Thread_local uint3 threadIdx, blockIdx, blockDim, gridDim;
_Thread_local struct worker *sim_worker;

/* The running thread is done: this lane. */
static inline void end_thread(struct worker *w, unsigned lane) {
    struct warp *warp = w->warp.state;
    warp->in[DONE] |= 1u << lane;
    if (warp->in[AT_WARP]) {
        warp->mixed = true; /* lanes may wait for this one */
    }
    w->block.progress = true;
}

/* The function of every fiber: runs the next thread that has not begun to its end, and so on. A
 * thread that waits leaves the fiber inside this loop. */
static void run_threads(void *argument) {
    struct worker *w = argument;
    for (;;) {
        while (w->warp.fresh) {
            const unsigned lane = sim_next_lane(w, w->warp.fresh);
            w->warp.fresh &= ~(1u << lane);
            sim_become(w, w->warp.number * SIM_WARP_SIZE + lane);
            w->lane.busy = false;
            w->launch.call(w->launch.closure);
            w->lane.busy = true;
            end_thread(w, lane);
        }
        struct fiber *me = w->lane.fiber;
        w->idle[w->idle_count++] = me;
        fiber_switch(me, sim_successor(w));
    }
}

struct fiber *sim_other_successor(struct worker *w) {
    if (w->warp.fresh == 0) {
        return w->next_round(w) ? sim_successor(w) : &w->host;
    }
    if (w->idle_count > 2) {
        fiber_prefetch(w->idle[w->idle_count - 3], -64, -128); /* for the frames of a thread */
    }
    return w->idle_count ? w->lane.fiber = w->idle[--w->idle_count] : &w->host;
}

unsigned long long sim_wait_for_any(struct worker *w, const unsigned long long *result) {
    struct fiber *mine = w->lane.fiber, *next = sim_successor(w);
    if (next != mine) {
        return FIBER_WAIT(mine, next, &w->lane.busy, result);
    }
    w->lane.busy = false;
    return *result;
}

void sim_returns(int line) {
    struct worker *w = sim_worker;
    if (w && w->block.config) {
        w->thread[w->lane.thread].at = (struct sim_location){NULL, line};
        w->warp.state->returned |= 1u << w->lane.thread % SIM_WARP_SIZE;
    }
}

void sim_give_way(const void *pc) {
    struct worker *w = sim_worker;
    struct thread *me = &w->thread[w->lane.thread];
    me->pc = pc;
    sim_wait(w, SPINNING, (struct sim_location){NULL, 0}, &me->value);
}

#define MAX_FAILURES 100 /* tries in a row before the others run */

void sim_spin(void) {
    struct worker *w = sim_worker;
    if (!w || !w->block.config) {
        return;
    }
    const char *pc = (const char *)__builtin_return_address(0) - 1;
    w->warp.vain++;
    w->vain.times = pc == w->vain.pc ? w->vain.times + 1 : 1;
    w->vain.pc = pc;
    w->vain.turn = w->turns;
    if (++w->lane.failures >= MAX_FAILURES) {
        sim_give_way(pc);
    }
}

void sim_sleep(void) {
    struct worker *w = sim_worker;
    if (w && w->block.config) {
        sim_give_way((const char *)__builtin_return_address(0) - 1);
        w->block.progress = true; /* time passes */
    }
}

enum thread_state sim_state(const struct worker *w, unsigned t) {
    const struct warp *warp = &w->warps[t / SIM_WARP_SIZE];
    unsigned state = 0;
    while (state < DONE && !(warp->in[state] >> t % SIM_WARP_SIZE & 1u)) {
        state++;
    }
    return (enum thread_state)state;
}

bool sim_any(const struct worker *w, enum thread_state state) {
    for (unsigned i = 0; i < w->block.warp_count; i++) {
        if (w->warps[i].in[state]) {
            return true;
        }
    }
    return false;
}

void sim_wake(struct worker *w, enum thread_state from) {
    w->ordered++;
    for (unsigned i = 0; i < w->block.warp_count; i++) {
        w->warps[i].in[READY] |= w->warps[i].in[from];
        w->warps[i].in[from] = 0;
    }
}

/* Creates one more fiber; the kernel fails when out of memory. */
static void add_fiber(struct worker *w) {
    struct fiber *fiber = &w->fiber[w->fibers];
    if (fiber_create(fiber, w->fibers, run_threads, w)) {
        w->fibers++;
        w->idle[w->idle_count++] = fiber;
        return;
    }
    sim_report(&(struct sim_finding){.found = FOUND_NO_STACKS, .kernel = w->block.config->kernel});
    w->block.failed = cudaErrorLaunchOutOfResources;
}

void sim_run_round(struct worker *w, unsigned warp) {
    w->warp.number = warp;
    w->warp.state = &w->warps[warp];
    w->warp.lanes = &w->thread[warp * SIM_WARP_SIZE];
    const bool begins = w->warp.state->fresh != 0;
    w->warp.round = begins ? 0 : w->warp.state->in[READY];
    w->warp.fresh = begins ? w->warp.state->in[READY] : 0;
    w->warp.state->in[READY] = w->warp.state->fresh = 0;
    while ((w->warp.round | w->warp.fresh) && w->block.failed == cudaSuccess) {
        struct fiber *next = sim_successor(w);
        if (next == &w->host) {
            add_fiber(w);
        } else {
            fiber_switch(&w->host, next);
        }
    }
}

void sim_end_kernel(cudaError_t error) {
    sim_worker->block.failed = error;
    for (;;) {
        fiber_switch(sim_worker->lane.fiber, &sim_worker->host);
    }
}

void sim_end_thread(cudaError_t error) {
    struct worker *w = sim_worker;
    static _Thread_local struct fiber nobody;
    struct fiber *mine = w->lane.fiber;
    w->lane.busy = true;
    w->block.faulted = true;
    w->block.fault = error;
    end_thread(w, w->lane.thread % SIM_WARP_SIZE);
    if (!fiber_restart(mine)) {
        sim_end_kernel(cudaErrorLaunchOutOfResources);
    }
    w->idle[w->idle_count++] = mine;
    for (;;) {
        fiber_switch(&nobody, sim_successor(w));
    }
}

void sim_abandon_stacks(struct worker *w) {
    for (unsigned i = 0; i < w->fibers; i++) {
        fiber_destroy(&w->fiber[i]);
    }
    w->fibers = w->idle_count = 0;
}

int sim_on_device(void) {
    return sim_worker && sim_worker->block.config;
}

bool sim_current(const char **kernel, uint3 *block, uint3 *thread, const void *address,
                 bool *on_guard) {
    const struct worker *w = sim_worker;
    if (!w || !w->block.config) {
        return false;
    }
    *kernel = w->block.config->kernel;
    *block = blockIdx;
    *thread = threadIdx;
    *on_guard = w->lane.fiber && fiber_overflowed(w->lane.fiber, address);
    return true;
}

void sim_trap(const char *file, int line) {
    if (!sim_worker || !sim_worker->block.config) {
        abort();
    }
    sim_report(&(struct sim_finding){.found = FOUND_TRAP,
                                     .kernel = sim_worker->block.config->kernel,
                                     .location = {file, line},
                                     .block = &blockIdx,
                                     .thread = &threadIdx});
    sim_end_kernel(cudaErrorLaunchFailure);
}

void sim_missing_return(const char *function, const char *file, int line) {
    struct sim_finding f = {.found = FOUND_NO_RETURN, .location = {file, line}, .call = function};
    if (sim_worker && sim_worker->block.config) {
        f.kernel = sim_worker->block.config->kernel;
        f.block = &blockIdx;
        f.thread = &threadIdx;
    }
    sim_report_once(&f);
}

void sim_refuse_in_kernel(const char *name, struct sim_location location) {
    if (!sim_worker || !sim_worker->block.config) {
        return;
    }
    sim_report(&(struct sim_finding){.found = FOUND_HOST_CALL,
                                     .kernel = sim_worker->block.config->kernel,
                                     .location = location,
                                     .block = &blockIdx,
                                     .thread = &threadIdx,
                                     .call = name});
    sim_end_kernel(cudaErrorLaunchFailure);
}

/* Called by assert(): in a kernel it ends the kernel and not the program, as on the device. */
void __assert_fail(const char *claim, const char *file, unsigned int line, const char *function) {
    if (!sim_worker || !sim_worker->block.config) {
        fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, claim);
        abort();
    }
    sim_report(&(struct sim_finding){.found = FOUND_ASSERT,
                                     .kernel = sim_worker->block.config->kernel,
                                     .location = {file, (int)line},
                                     .block = &blockIdx,
                                     .thread = &threadIdx,
                                     .call = function,
                                     .text = claim});
    sim_end_kernel(cudaErrorAssert);
}

#define GIGAHERTZ 1.98 /* of an H200's multiprocessors */

unsigned long long sim_clock(void) {
    static struct timespec start;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!__atomic_load_n(&start.tv_sec, __ATOMIC_RELAXED)) {
        __atomic_store_n(&start.tv_sec, now.tv_sec, __ATOMIC_RELAXED);
    }
    double ns = (double)(now.tv_sec - start.tv_sec) * 1e9 + (double)now.tv_nsec;
    return (unsigned long long)(ns * GIGAHERTZ);
}

long sim_clock_or_time(void) {
    return sim_worker && sim_worker->block.config ? (long)sim_clock() : (long)clock();
}
