/* The threads of a block run one after the other. Each runs until it is done or must wait for
 * others; only then does it keep its stack, and the next thread takes a fresh one. A kernel without
 * barriers thus is a plain loop on a single stack. */
#include "exec/block.h"

#include "trace/tsan_callbacks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Thread_local uint3 threadIdx, blockIdx;
_Thread_local dim3 blockDim, gridDim;
_Thread_local struct worker *sim_worker;

static void become(struct worker *w, unsigned t) {
    w->current = t;
    w->thread[t].state = RUNNING;
    threadIdx = w->index[t];
    if (trace_thread) {
        trace_thread(w, t);
    }
}

/* What a fiber does: the next thread that has not begun, to its end, and so on. A thread that waits
 * leaves the fiber in the middle of this. */
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

struct thread *sim_suspend(enum thread_state state, struct sim_place at) {
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

/* Begins the threads of the warp that begins with `first`, each as far as it gets by itself. */
static void begin_warp(struct worker *w, unsigned first) {
    w->warp = first;
    w->next = 0;
    w->limit = w->count - first < SIM_WARP ? w->count - first : SIM_WARP;
    while (w->next < w->limit && w->failed == cudaSuccess) {
        if (w->idle_count == 0) {
            struct fiber *fresh = &w->fiber[w->fibers];
            if (!fiber_create(fresh, w->fibers, run_threads, w)) {
                struct sim_finding finding = {.kind = "out-of-memory", .kernel = w->config->kernel};
                sim_report(&finding, "no memory for the stacks of kernel %s's threads",
                           w->config->kernel);
                w->failed = cudaErrorLaunchOutOfResources;
                return;
            }
            w->fibers++;
            w->idle[w->idle_count++] = fresh;
        }
        enter(w, w->idle[--w->idle_count]);
    }
}

struct sim_barrier_result sim_barrier(int predicate, const char *file, int line) {
    sim_worker->thread[sim_worker->current].predicate = predicate != 0;
    sim_suspend(AT_BARRIER, (struct sim_place){file, line});
    return sim_worker->barrier;
}

/* Appends where the first thread in `state` waits. */
static void describe(const struct worker *w, enum thread_state state, char *text, size_t size) {
    for (unsigned t = 0; t < w->count; t++) {
        const struct thread *it = &w->thread[t];
        if (it->state == state) {
            snprintf(text, size, "thread (%u,%u,%u) waits at %s:%d for %s", w->index[t].x,
                     w->index[t].y, w->index[t].z, it->at.file, it->at.line,
                     state == AT_BARRIER ? "the other threads of the block" : "lanes of its warp");
            return;
        }
    }
    snprintf(text, size, "no thread waits for the others of the block");
}

static void report_deadlock(const struct worker *w) {
    unsigned stuck = 0;
    while (w->thread[stuck].state != AT_WARP) {
        stuck++;
    }
    struct sim_finding finding = {.kind = "barrier-divergence",
                                  .kernel = w->config->kernel,
                                  .place = w->thread[stuck].at,
                                  .block = &blockIdx,
                                  .thread = &w->index[stuck]};
    char at_warp[256], at_barrier[256];
    describe(w, AT_WARP, at_warp, sizeof at_warp);
    describe(w, AT_BARRIER, at_barrier, sizeof at_barrier);
    sim_report(&finding, "kernel %s never ends: %s (mask 0x%08x) that never come, %s",
               w->config->kernel, at_warp, w->thread[stuck].mask, at_barrier);
}

/* At the present barrier of the block: a thread that has left or stands at another line is
 * reported. The device hangs there, or goes on in a way that nothing defines. */
static void report_divergence(struct worker *w) {
    const struct thread *leader = NULL;
    unsigned first = 0, other = 0;
    for (unsigned t = 0; t < w->count; t++) {
        const struct thread *it = &w->thread[t];
        if (it->state == AT_BARRIER && leader == NULL) {
            leader = it;
            first = t;
        }
    }
    for (unsigned t = 0; t < w->count; t++) {
        const struct thread *it = &w->thread[t];
        bool same = it->state == AT_BARRIER && it->at.line == leader->at.line &&
                    (it->at.file == leader->at.file || strcmp(it->at.file, leader->at.file) == 0);
        if (!same) {
            other = t + 1;
            break;
        }
    }
    if (other-- == 0) {
        return;
    }
    bool left = w->thread[other].state == DONE;
    struct sim_finding finding = {.kind = "barrier-divergence",
                                  .kernel = w->config->kernel,
                                  .place = leader->at,
                                  .block = &blockIdx,
                                  .thread = &w->index[first]};
    if (!left) {
        finding.other = w->thread[other].at;
    }
    const uint3 *a = &w->index[first], *b = &w->index[other];
    sim_report_once(
        &finding,
        "not all threads of block (%u,%u,%u) come to this barrier: thread (%u,%u,%u) waits "
        "here, thread (%u,%u,%u) %s",
        blockIdx.x, blockIdx.y, blockIdx.z, a->x, a->y, a->z, b->x, b->y, b->z,
        left ? "has left the kernel" : "at another one");
}

/* Every thread that is not done stands at a barrier: lets them pass. */
static void pass_barrier(struct worker *w) {
    report_divergence(w);
    if (trace_barrier) {
        trace_barrier();
    }
    w->barrier = (struct sim_barrier_result){0, 0};
    for (unsigned t = 0; t < w->count; t++) {
        if (w->thread[t].state == AT_BARRIER) {
            w->barrier.threads++;
            w->barrier.set += w->thread[t].predicate;
            w->thread[t].state = READY;
        }
    }
}

static bool any_at_warp(const struct worker *w) {
    for (unsigned t = 0; t < w->count; t++) {
        if (w->thread[t].state == AT_WARP) {
            return true;
        }
    }
    return false;
}

/* The first thread of the i-th warp in the order in which they run. */
static unsigned warp_in_order(const struct worker *w, unsigned i) {
    unsigned last = (w->count - 1) / SIM_WARP;
    return (w->reversed ? last - i : i) * SIM_WARP;
}

static void run_to_end(struct worker *w) {
    unsigned warps = (w->count + SIM_WARP - 1) / SIM_WARP;
    for (unsigned i = 0; i < warps && w->failed == cudaSuccess; i++) {
        unsigned first = warp_in_order(w, i), waiting = w->waiting;
        begin_warp(w, first);
        if (trace_warp) {
            trace_warp(w, first);
        }
        if (w->waiting > waiting) {
            sim_settle_warp(w, first);
        }
    }
    while (w->waiting > 0 && w->failed == cudaSuccess) {
        if (any_at_warp(w)) {
            report_deadlock(w);
            w->failed = cudaErrorLaunchFailure;
            return;
        }
        pass_barrier(w);
        for (unsigned i = 0; i < warps && w->failed == cudaSuccess; i++) {
            sim_settle_warp(w, warp_in_order(w, i));
        }
    }
}

/* A kernel that ended early leaves threads in the middle of their stacks. */
static void abandon_stacks(struct worker *w) {
    for (unsigned i = 0; i < w->fibers; i++) {
        fiber_destroy(&w->fiber[i]);
    }
    w->fibers = w->idle_count = 0;
}

static struct worker *create_worker(void) {
    static struct worker *all;
    struct worker *w = calloc(1, sizeof *w);
    if (!w || !sim_shared_create(w)) {
        free(w);
        return NULL;
    }
    w->older = __atomic_load_n(&all, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&all, &w->older, w, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
    fiber_adopt_thread(&w->host);
    sim_prepare_fault_stack();
    return w;
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

cudaError_t sim_run_block(const struct sim_config *config, uint64_t index, bool reversed,
                          void (*call)(const void *), const void *closure) {
    if (!sim_worker && !(sim_worker = create_worker())) {
        return cudaErrorLaunchOutOfResources;
    }
    struct worker *w = sim_worker;
    if (memcmp(&w->shape, &config->block, sizeof w->shape) != 0) {
        number_threads(w, &config->block);
    }
    w->call = call;
    w->closure = closure;
    w->count = config->block.x * config->block.y * config->block.z;
    w->waiting = 0;
    w->reversed = reversed;
    w->failed = cudaSuccess;
    memset(w->thread, 0, w->count * sizeof *w->thread);
    sim_shared_reset(w, config->shared);
    blockDim = config->block;
    gridDim = config->grid;
    uint64_t row = index / config->grid.x;
    blockIdx = (uint3){(unsigned)(index % config->grid.x), (unsigned)(row % config->grid.y),
                       (unsigned)(row / config->grid.y)};
    w->config = config;
    if (trace_block_begin) {
        trace_block_begin(w);
    }
    run_to_end(w);
    w->config = NULL;
    if (w->failed != cudaSuccess) {
        abandon_stacks(w);
    }
    w->poisoned = (unsigned)sim_shared_laid_out();
    return w->failed;
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
                                  .place = {file, line},
                                  .block = &blockIdx,
                                  .thread = &threadIdx};
    sim_report(&finding, "kernel %s was ended by __trap()", sim_worker->config->kernel);
    sim_end_kernel(cudaErrorLaunchFailure);
}

/* Called by assert(): in a kernel it ends the kernel, not the program, as on the device. */
void __assert_fail(const char *claim, const char *file, unsigned int line, const char *function) {
    if (!sim_worker || !sim_worker->config) {
        fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, claim);
        abort();
    }
    struct sim_finding finding = {.kind = "assert",
                                  .kernel = sim_worker->config->kernel,
                                  .place = {file, (int)line},
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
