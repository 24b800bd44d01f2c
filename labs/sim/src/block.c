#include "block.h"

#include "fiber.h"

#include <stdlib.h>
#include <string.h>
#include <pthread.h>

enum state { UNSTARTED, RUNNING, READY, AT_BARRIER, AT_WARP, DONE };
enum warp_op { SYNC, BALLOT, SHUFFLE };

/* One thread of the block. */
struct thread {
    enum state state;
    struct fiber *fiber; /* while it waits or is ready */
    int predicate;       /* at a barrier */
    enum warp_op op;     /* at a warp operation ... */
    unsigned mask, from;
    unsigned long long value; /* ... what it gives, then what it takes */
};

/* What one host thread needs to run blocks. */
struct worker {
    struct thread thread[SIM_MAX_THREADS];
    struct fiber fiber[SIM_MAX_THREADS];
    unsigned fibers, idle_count;
    struct fiber *idle[SIM_MAX_THREADS];
    struct fiber host; /* the scheduler's own stack */
    struct fiber *running;
    unsigned current, next, limit, count; /* threads */
    const struct sim_config *config;
    void (*call)(const void *);
    const void *closure;
    int barrier_count; /* of true predicates at the barrier last passed */
    int barrier_threads;
    char *shared, *dynamic;
    unsigned poisoned; /* bytes of `shared` that must be filled again */
};

_Thread_local uint3 threadIdx, blockIdx;
_Thread_local dim3 blockDim, gridDim;
static _Thread_local struct worker *worker;

/* ---- shared memory */

#define ARENA ((size_t)256 * 1024)

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned launch_number, shared_top;

void sim_block_begin_launch(void) {
    launch_number++;
    shared_top = 0;
}

void *sim_shared_address(struct sim_shared *v) {
    if (__atomic_load_n(&v->launch, __ATOMIC_ACQUIRE) != launch_number) {
        pthread_mutex_lock(&shared_lock);
        if (v->launch != launch_number) {
            unsigned offset = (shared_top + v->align - 1) / v->align * v->align;
            v->offset = offset;
            shared_top = offset + v->size;
            __atomic_store_n(&v->launch, launch_number, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&shared_lock);
    }
    return worker->shared + v->offset;
}

void *sim_dynamic_shared(void) {
    return worker->dynamic;
}

/* ---- threads on fibers */

static void set_thread(struct worker *w, unsigned t) {
    const dim3 *b = &w->config->block;
    w->current = t;
    threadIdx = (uint3){t % b->x, t / b->x % b->y, t / b->x / b->y};
}

/* What a fiber does: the next unstarted thread, to its end, and so on. */
static void fiber_loop(void *argument) {
    struct worker *w = argument;
    for (;;) {
        while (w->next < w->limit) {
            unsigned t = w->next++;
            set_thread(w, t);
            w->thread[t].state = RUNNING;
            w->call(w->closure);
            w->thread[w->current].state = DONE;
        }
        struct fiber *me = w->running;
        w->idle[w->idle_count++] = me;
        fiber_switch(me, &w->host);
    }
}

/* Runs a fiber until it suspends or has nothing to do. */
static void enter(struct worker *w, struct fiber *fiber) {
    w->running = fiber;
    fiber_switch(&w->host, fiber);
}

/* The thread that runs now waits; the scheduler goes on. Comes back when it is resumed. */
static struct thread *suspend(enum state state) {
    struct worker *w = worker;
    struct thread *me = &w->thread[w->current];
    me->state = state;
    me->fiber = w->running;
    fiber_switch(w->running, &w->host);
    return me;
}

static void resume(struct worker *w, unsigned t) {
    w->thread[t].state = RUNNING;
    set_thread(w, t);
    enter(w, w->thread[t].fiber);
}

static bool start_threads(struct worker *w, unsigned limit) {
    w->limit = limit;
    while (w->next < limit) {
        if (w->idle_count == 0) {
            struct fiber *fresh = &w->fiber[w->fibers];
            if (!fiber_create(fresh, w->fibers, fiber_loop, w)) {
                return false;
            }
            w->fibers++;
            w->idle[w->idle_count++] = fresh;
        }
        enter(w, w->idle[--w->idle_count]);
    }
    return true;
}

/* ---- barriers */

void __syncthreads(void) {
    worker->thread[worker->current].predicate = 0;
    suspend(AT_BARRIER);
}

int __syncthreads_count(int predicate) {
    worker->thread[worker->current].predicate = predicate != 0;
    suspend(AT_BARRIER);
    return worker->barrier_count;
}

int __syncthreads_and(int predicate) {
    worker->thread[worker->current].predicate = predicate != 0;
    suspend(AT_BARRIER);
    return worker->barrier_count == worker->barrier_threads;
}

int __syncthreads_or(int predicate) {
    return __syncthreads_count(predicate) != 0;
}

/* ---- warp operations */

unsigned sim_lane(void) {
    return worker->current % SIM_WARP;
}

static struct thread *warp_operation(enum warp_op op, unsigned mask, unsigned long long value,
                                     unsigned from) {
    struct thread *me = &worker->thread[worker->current];
    me->op = op;
    me->mask = mask;
    me->value = value;
    me->from = from;
    return suspend(AT_WARP);
}

void __syncwarp(unsigned mask) {
    warp_operation(SYNC, mask, 0, 0);
}

unsigned __ballot_sync(unsigned mask, int predicate) {
    return (unsigned)warp_operation(BALLOT, mask, predicate != 0, 0)->value;
}

unsigned long long sim_shuffle(unsigned mask, unsigned long long value, unsigned from) {
    return warp_operation(SHUFFLE, mask, value, from)->value;
}

unsigned __activemask(void) {
    unsigned first = worker->current / SIM_WARP * SIM_WARP, mask = 0;
    for (unsigned lane = 0; lane < SIM_WARP && first + lane < worker->count; lane++) {
        mask |= (unsigned)(worker->thread[first + lane].state != DONE) << lane;
    }
    return mask;
}

/* The lanes that wait with lane `leader` for the same operation, or 0 while one is still to come. */
static unsigned arrived(const struct worker *w, unsigned first, unsigned leader) {
    const struct thread *lead = &w->thread[first + leader];
    unsigned there = 0;
    for (unsigned lane = 0; lane < SIM_WARP && first + lane < w->count; lane++) {
        const struct thread *t = &w->thread[first + lane];
        if (!(lead->mask >> lane & 1u) || t->state == DONE) {
            continue;
        }
        if (t->state != AT_WARP || t->op != lead->op || t->mask != lead->mask) {
            return 0;
        }
        there |= 1u << lane;
    }
    return there;
}

static void complete(struct worker *w, unsigned first, unsigned lanes, enum warp_op op) {
    unsigned long long given[SIM_WARP] = {0}, ballot = 0;
    for (unsigned left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        given[lane] = w->thread[first + lane].value;
        ballot |= (given[lane] & 1u) << lane;
    }
    for (unsigned left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        struct thread *t = &w->thread[first + lane];
        if (op == BALLOT) {
            t->value = ballot;
        } else if (op == SHUFFLE && lanes >> t->from % SIM_WARP & 1u) {
            t->value = given[t->from % SIM_WARP];
        }
        t->state = READY;
    }
}

/* Runs a warp until every lane is done, at the block's barrier, or waits for what never comes. */
static void settle_warp(struct worker *w, unsigned first) {
    for (bool again = true; again;) {
        again = false;
        for (unsigned t = first; t < first + SIM_WARP && t < w->count; t++) {
            if (w->thread[t].state == AT_WARP) {
                unsigned lanes = arrived(w, first, t - first);
                if (lanes >> (t - first) & 1u) {
                    complete(w, first, lanes, w->thread[t].op);
                }
            }
        }
        for (unsigned t = first; t < first + SIM_WARP && t < w->count; t++) {
            if (w->thread[t].state == READY) {
                resume(w, t);
                again = true;
            }
        }
    }
}

/* ---- the block */

static unsigned count_state(const struct worker *w, enum state state) {
    unsigned n = 0;
    for (unsigned t = 0; t < w->count; t++) {
        n += w->thread[t].state == state;
    }
    return n;
}

static void report_deadlock(struct worker *w) {
    for (unsigned t = 0; t < w->count; t++) {
        if (w->thread[t].state == AT_WARP) {
            set_thread(w, t);
            break;
        }
    }
    struct sim_finding finding = {.severity = "error", .kind = "deadlock",
                                  .kernel = w->config->kernel,
                                  .place = {w->config->file, w->config->line},
                                  .block = &blockIdx, .thread = &threadIdx};
    sim_report(&finding,
               "kernel %s never ends: thread (%u,%u,%u) waits at a warp operation for lanes that "
               "wait at __syncthreads() or at another one",
               w->config->kernel, threadIdx.x, threadIdx.y, threadIdx.z);
}

static bool run_to_end(struct worker *w) {
    for (unsigned first = 0; first < w->count; first += SIM_WARP) {
        unsigned end = first + SIM_WARP < w->count ? first + SIM_WARP : w->count;
        if (!start_threads(w, end)) {
            return false;
        }
        settle_warp(w, first);
    }
    for (;;) {
        unsigned done = count_state(w, DONE), waiting = count_state(w, AT_BARRIER);
        if (done == w->count) {
            return true;
        }
        if (done + waiting < w->count) {
            report_deadlock(w);
            return false;
        }
        w->barrier_count = 0;
        w->barrier_threads = (int)waiting;
        for (unsigned t = 0; t < w->count; t++) {
            if (w->thread[t].state == AT_BARRIER) {
                w->barrier_count += w->thread[t].predicate;
                w->thread[t].state = READY;
            }
        }
        for (unsigned first = 0; first < w->count; first += SIM_WARP) {
            settle_warp(w, first);
        }
    }
}

/* A worker that is left in the middle of a block keeps stacks in use: they are given up. */
static void abandon(struct worker *w) {
    for (unsigned i = 0; i < w->fibers; i++) {
        fiber_destroy(&w->fiber[i]);
    }
    w->fibers = w->idle_count = 0;
}

static struct worker *create_worker(void) {
    struct worker *w = calloc(1, sizeof *w);
    void *arena = NULL;
    if (!w || posix_memalign(&arena, 1024, 2 * ARENA) != 0) {
        free(w);
        return NULL;
    }
    w->shared = arena;
    w->dynamic = w->shared + ARENA;
    memset(w->shared, 0xff, ARENA);
    pthread_attr_t attributes;
    void *stack = NULL;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &stack, &bytes);
        pthread_attr_destroy(&attributes);
    }
    w->host.stack = stack;
    w->host.bytes = bytes;
    sim_fault_stack();
    return w;
}

bool sim_run_block(const struct sim_config *config, uint64_t index, void (*call)(const void *),
                   const void *closure) {
    if (!worker && !(worker = create_worker())) {
        return false;
    }
    struct worker *w = worker;
    w->config = config;
    w->call = call;
    w->closure = closure;
    w->count = config->block.x * config->block.y * config->block.z;
    w->next = 0;
    memset(w->thread, 0, w->count * sizeof *w->thread);
    memset(w->shared, 0xff, w->poisoned);
    memset(w->dynamic, 0xff, config->shared);
    blockDim = config->block;
    gridDim = config->grid;
    uint64_t row = index / config->grid.x;
    blockIdx = (uint3){(unsigned)(index % config->grid.x), (unsigned)(row % config->grid.y),
                       (unsigned)(row / config->grid.y)};
    bool ended = run_to_end(w);
    if (!ended) {
        abandon(w);
    }
    w->poisoned = shared_top > w->poisoned ? shared_top : w->poisoned;
    w->config = NULL;
    return ended;
}

bool sim_current(const char **kernel, uint3 *block, uint3 *thread, bool *stack_overflow,
                 const void *address) {
    if (!worker || !worker->config) {
        return false;
    }
    *kernel = worker->config->kernel;
    *block = blockIdx;
    *thread = threadIdx;
    *stack_overflow = worker->running && fiber_overflowed(worker->running, address);
    return true;
}

unsigned sim_static_shared(void) {
    return shared_top;
}
