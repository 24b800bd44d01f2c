/* A thread keeps its stack only while it waits; the next thread then takes another. A kernel
 * without barriers is therefore a plain loop on one stack. */
#include "exec/thread.h"

#include "exec/hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

_Thread_local uint3 threadIdx, blockIdx, blockDim, gridDim;
_Thread_local struct worker *sim_worker;

static void become(struct worker *w, unsigned t) {
    w->current = t;
    w->thread[t].state = RUNNING;
    threadIdx = w->index[t];
    if (sim_hooks) {
        sim_hooks->thread(w, t);
    }
}

/* The function of every fiber: runs the next thread that has not begun to its end, and so on. A
 * thread that waits leaves the fiber inside this loop. */
static void run_threads(void *argument) {
    struct worker *w = argument;
    for (;;) {
        while (w->next < w->limit) {
            unsigned lane = w->reversed ? w->limit - 1 - w->next : w->next;
            w->next++;
            become(w, w->warp + lane);
            w->call(w->closure);
            w->thread[w->current].state = DONE;
        }
        struct fiber *me = w->running;
        w->idle[w->idle_count++] = me;
        fiber_switch(me, &w->host);
    }
}

static void enter(struct worker *w, struct fiber *fiber) {
    w->running = fiber;
    fiber_switch(&w->host, fiber);
}

struct thread *sim_suspend(enum thread_state state, struct sim_location at) {
    struct worker *w = sim_worker;
    struct thread *me = &w->thread[w->current];
    me->state = state;
    me->at = at;
    me->fiber = w->running;
    w->waiting++;
    fiber_switch(w->running, &w->host);
    return me;
}

void sim_resume(struct worker *w, unsigned t) {
    w->running = w->thread[t].fiber;
    become(w, t);
    w->waiting--;
    enter(w, w->thread[t].fiber);
}

void sim_end_kernel(cudaError_t error) {
    sim_worker->failed = error;
    for (;;) {
        fiber_switch(sim_worker->running, &sim_worker->host);
    }
}

void sim_begin_warp(struct worker *w, unsigned first) {
    w->warp = first;
    w->next = 0;
    w->limit = w->count - first < SIM_WARP_SIZE ? w->count - first : SIM_WARP_SIZE;
    while (w->next < w->limit && w->failed == cudaSuccess) {
        if (w->idle_count == 0) {
            struct fiber *new_fiber = &w->fiber[w->fibers];
            if (!fiber_create(new_fiber, w->fibers, run_threads, w)) {
                struct sim_finding finding = {.kind = "out-of-memory", .kernel = w->config->kernel};
                sim_report(&finding, "out of memory for the stacks of the threads of kernel %s",
                           w->config->kernel);
                w->failed = cudaErrorLaunchOutOfResources;
                return;
            }
            w->fibers++;
            w->idle[w->idle_count++] = new_fiber;
        }
        enter(w, w->idle[--w->idle_count]);
    }
}

void sim_abandon_stacks(struct worker *w) {
    for (unsigned i = 0; i < w->fibers; i++) {
        fiber_destroy(&w->fiber[i]);
    }
    w->fibers = w->idle_count = 0;
}

int sim_on_device(void) {
    return sim_worker && sim_worker->config;
}

bool sim_current(const char **kernel, uint3 *block, uint3 *thread, const void *address,
                 bool *on_guard) {
    const struct worker *w = sim_worker;
    if (!w || !w->config) {
        return false;
    }
    *kernel = w->config->kernel;
    *block = blockIdx;
    *thread = threadIdx;
    *on_guard = w->running && fiber_overflowed(w->running, address);
    return true;
}

void sim_trap(const char *file, int line) {
    if (!sim_worker || !sim_worker->config) {
        abort();
    }
    struct sim_finding finding = {.kind = "trap",
                                  .kernel = sim_worker->config->kernel,
                                  .location = {file, line},
                                  .block = &blockIdx,
                                  .thread = &threadIdx};
    sim_report(&finding, "kernel %s called __trap()", sim_worker->config->kernel);
    sim_end_kernel(cudaErrorLaunchFailure);
}

/* Called by assert(): in a kernel it ends the kernel and not the program, as on the device. */
void __assert_fail(const char *claim, const char *file, unsigned int line, const char *function) {
    if (!sim_worker || !sim_worker->config) {
        fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, claim);
        abort();
    }
    struct sim_finding finding = {.kind = "assert",
                                  .kernel = sim_worker->config->kernel,
                                  .location = {file, (int)line},
                                  .block = &blockIdx,
                                  .thread = &threadIdx};
    sim_report(&finding, "block (%u,%u,%u), thread (%u,%u,%u): assertion `%s' failed", blockIdx.x,
               blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, claim);
    sim_end_kernel(cudaErrorAssert);
}

unsigned long long sim_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}
