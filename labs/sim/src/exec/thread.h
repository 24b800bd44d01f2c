/* exec/: runs the threads of a launch, on fibers of a few host threads.
 *
 * This header: the threads of one block on one host thread (the worker). They run one after the
 * other; each runs until it is done or must wait for others, and then switches to the next one of
 * its warp. */
#pragma once

#include "base/findings.h"
#include "exec/fiber.h"
#include "exec/hooks.h"

#include <pthread.h>
#include <sys/types.h>

/* What a thread does that does not run. SPINNING: it repeats a read until another thread changes
 * what it reads, and gave up its turn. */
enum thread_state {
    READY,
    AT_BARRIER,
    AT_WARP,
    AT_TILE,
    AT_GRID,
    AT_PRIMARY,  /* for the kernel that its launch may overlap: overlap.h */
    AT_VOLATILE, /* before a volatile access: lock_step.h */
    SPINNING,
    DONE,
    THREAD_STATES
};

struct lock_step;

#define POLLS 4 /* words that a thread may wait for at once */

/* What a traced thread has read of words that others may change: the last ones, the newest first;
 * how often in a row without news; it has given way since the last news. */
struct polls {
    struct poll {
        const volatile void *address;
        uint64_t value;
    } last[POLLS];
    unsigned repeated, reads; /* reads: since it last gave way */
    bool stalled;
};

struct thread {
    struct fiber *fiber; /* its stack, while it waits or is ready */
    /* Where it waits, or has waited last; when it spins, file is NULL. Of one that has returned,
     * the line alone. */
    struct sim_location at;
    const void *pc; /* where it spins, or makes a volatile access */
    unsigned tile;  /* at the barrier of a tile of several warps: its threads */
    /* At a warp operation: */
    enum sim_warp_operation operation;
    unsigned mask, from;
    unsigned long long value;    /* its input; when the thread is ready, its result */
    struct lock_step *lock_step; /* from malloc(), or NULL */
};

/* A warp operation that some of its lanes have reached. */
struct warp_group {
    uint32_t mask, there;
    enum sim_warp_operation operation;
};

/* The lanes of a warp, as bits. */
struct warp {
    uint32_t lanes;             /* that exist */
    uint32_t fresh;             /* are ready and have never run */
    uint32_t in[THREAD_STATES]; /* do not run, by what they do */
    uint32_t waited;            /* have waited for the kernel that theirs may overlap (traced) */
    uint32_t predicates;        /* that passed a true one to a barrier of the block */
    uint32_t returned;          /* have left their kernel at a `return` */

    /* group[i]: the operation whose mask has lane i as its lowest. `complete` has bit i if all its
     * lanes have arrived. Lanes whose masks or operations contradict each other are `mixed`: then
     * every lane is compared with every other. */
    uint32_t complete;
    bool mixed;
    struct warp_group group[SIM_WARP_SIZE];
};

/* The copies that a thread has begun, from the oldest: async_copies.h. */
struct begun_copies {
    struct async_copy *copy;
    unsigned first, end, room;
};

#define SIM_MAX_WARPS (SIM_MAX_THREADS / SIM_WARP_SIZE)

/* What a host thread knows of the blocks that it runs. The parts without a name of their own last
 * as long as the program. */
struct worker {
    struct worker *spare; /* the next one that its host thread may borrow: worker.h */
    struct worker *older; /* the worker created before; after a fork the parent's still exist */
    pthread_t host_thread;
    pid_t process;
    bool (*next_round)(struct worker *w); /* sim_next_round() of warp.h */
    uint64_t turns;                       /* how often a thread has begun to run */
    uint64_t begun;                       /* blocks of all launches that it has begun */
    uint64_t ordered; /* how often something has ordered what threads do: a barrier, a new block */

    /* The threads of the block that runs, and their warps. */
    struct thread thread[SIM_MAX_THREADS];
    struct warp warps[SIM_MAX_WARPS];
    bool stepped;                 /* a thread has a lock_step */
    uint3 index[SIM_MAX_THREADS]; /* threadIdx of each, for blocks of `shape` */
    dim3 shape;

    struct begun_copies copies[SIM_MAX_THREADS]; /* of threads by their numbers */
    uint64_t copies_begun;                       /* and not ended */

    struct fiber fiber[SIM_MAX_THREADS];
    struct fiber *idle[SIM_MAX_THREADS];
    unsigned fibers, idle_count;
    struct fiber host; /* the scheduler's own stack */

    char *arena;       /* static shared memory */
    char *dynamic_end; /* end of the dynamic shared memory, at a guard page */
    unsigned poisoned; /* bytes of the arena that must be poisoned again */
    int shared_file;   /* has both, once sim_shared_map_wrapped() needed it; else 0 */

    struct {
        void (*call)(const void *);
        const void *closure;
        bool reversed;     /* begin with the last thread: CONVLABS_SIM_ORDER=reverse */
        cudaError_t fault; /* why it will fail, once all blocks of a traced one ran */
        struct parked_block *parked, **last_parked; /* that wait for others, in a list: park.h */
        uint64_t parked_count;
        unsigned slices;     /* blocks that have let others run at a barrier */
        bool before_primary; /* the kernel that this one may overlap has not run yet */
    } launch;

    /* The block that runs now. */
    struct {
        const struct sim_config *config; /* of its launch; NULL between blocks */
        uint64_t index;
        unsigned warp_count, count;
        char *dynamic;            /* start of its dynamic shared memory */
        const char *dynamic_name; /* what the program calls that; NULL: nothing yet */
        size_t dynamic_element;   /* bytes of an element of it */
        cudaError_t failed;       /* why the kernel ended early */
        bool faulted;             /* a thread was ended by its error, */
        cudaError_t fault;        /* this one */
        bool progress;            /* since it was last reset, a thread did more than to spin */
        bool advanced;            /* the same, since the block has begun or resumed */
        bool stalled;             /* a thread has polled in vain since it last gave way */
        bool preempted;           /* since then the watch has interrupted a thread */

        const struct thread *leader; /* the first that arrived at the barrier */
        bool differs;                /* not all threads wait in the same call of a barrier */
        unsigned long long barrier;  /* the result of the last one */
    } block;

    /* The warp that runs now. */
    struct {
        unsigned number;
        struct warp *state;
        struct thread *lanes;
        /* Lanes that run before the scheduler looks at the warp again: that wait on a stack, or
         * have never run. A round has only such or only such. */
        uint32_t round, fresh;
        unsigned steps;     /* how often lanes went on together to a volatile access */
        uint64_t last_turn; /* before it is looked whether others must run, */
        unsigned vain;      /* and tries in vain until then */
    } warp;

    /* The thread that runs now. */
    struct {
        unsigned thread; /* its number in the block */
        struct fiber *fiber;
        unsigned failures;  /* tries in a row that another thread has thwarted */
        volatile bool busy; /* it is inside the runtime */
    } lane;

    /* The atomic function that last changed nothing: it may ask for a lock. How often it has done
     * so, and in which turn. */
    struct {
        const char *pc;
        uint64_t times, turn;
    } vain;

    /* What the watch saw when it last looked, and how often it has looked at the same turn; still:
     * the same in a row. */
    struct {
        uint64_t turns, registers;
        unsigned looks, same_looks, still;
    } watch;

    void *exchanged; /* what exchange.c knows of words; NULL until it is asked */
    struct polls polls[SIM_MAX_THREADS]; /* apart: a thread fills a cache line */

    /* What each thread passed to sim_warp_collect(), and what its group may read. */
    char offered[SIM_MAX_THREADS][SIM_COLLECT_BYTES], collected[SIM_MAX_THREADS][SIM_COLLECT_BYTES];
};

extern _Thread_local struct worker *sim_worker;

/* The running thread repeats itself at `pc` until another one does something: lets others run. */
void sim_give_way(const void *pc);

/* What thread `t` does, which must not be running. */
enum thread_state sim_state(const struct worker *w, unsigned t);

/* Some threads of the block are in this state. */
bool sim_any(const struct worker *w, enum thread_state state);

/* Lets all threads in state `from` go on. */
void sim_wake(struct worker *w, enum thread_state from);

/* Runs each ready thread of this warp until it waits or ends; where the lanes stay together, also
 * through operations of the warp. */
void sim_run_round(struct worker *w, unsigned warp);

/* Does the address belong to a variable of the running thread? */
static inline bool sim_is_on_stack(const struct worker *w, const volatile void *address) {
    return (size_t)((const volatile char *)address - w->lane.fiber->stack) < w->lane.fiber->bytes;
}

/* The running thread ends its kernel. */
__attribute__((noreturn)) void sim_end_kernel(cudaError_t error);

/* Ends the kernel with a finding if one runs: it calls this function of the API. */
void sim_refuse_in_kernel(const char *name, struct sim_location location);
/* For the block alone, where only the ends of a launch run. */
#define SIM_ENOUGH cudaErrorNotReady

/* The running thread ends, and when the others are done, its kernel. */
__attribute__((noreturn)) void sim_end_thread(cudaError_t error);

/* Is the caller a thread of a kernel? Then sets the kernel, block and thread, and *on_guard: is
 * `address` just below the stack of that thread? */
bool sim_current(const char **kernel, uint3 *block, uint3 *thread, const void *address,
                 bool *on_guard);

/* Unmaps the fibers of a kernel that ended early: some of its threads are still on their stacks. */
void sim_abandon_stacks(struct worker *w);

/* ---- from one thread to the next: inline, because a warp function costs little more than this */

static inline void sim_become_plain(struct worker *w, unsigned t) {
    w->lane.thread = t;
    w->lane.failures = 0;
    __atomic_store_n(&w->turns, w->turns + 1, __ATOMIC_RELAXED); /* the watch reads it */
    threadIdx = w->index[t];
}

static inline void sim_become(struct worker *w, unsigned t) {
    sim_become_plain(w, t);
    if (sim_hooks) {
        sim_hooks->thread(w, t);
    }
}

/* The first lane of those that are left of a round. */
static inline unsigned sim_next_lane(const struct worker *w, uint32_t left) {
    return w->launch.reversed ? SIM_WARP_SIZE - 1 - (unsigned)__builtin_clz(left)
                              : (unsigned)__builtin_ctz(left);
}

/* The same when no lane of the round waits on a stack any more: one has never run and gets a stack,
 * or the scheduler must decide, unless another round begins. */
struct fiber *sim_other_successor(struct worker *w);

/* Makes the next thread of the round, which waits on a stack, the running one. */
static inline __attribute__((always_inline)) unsigned sim_take_lane(struct worker *w) {
    unsigned lane = sim_next_lane(w, w->warp.round);
    w->warp.round &= ~(1u << lane);
    w->lane.fiber = w->warp.lanes[lane].fiber;
    const struct fiber *later = w->warp.lanes[(lane + 2) % SIM_WARP_SIZE].fiber;
    if (later) {
        fiber_prefetch(later, 192, 256); /* its frames, above the red zone */
    }
    return w->warp.number * SIM_WARP_SIZE + lane;
}

/* Makes the next thread of the round the running one, if it waits on a stack, or has a stack for
 * it. Returns the stack to switch to: the scheduler's if it must decide. */
static inline __attribute__((always_inline)) struct fiber *sim_successor(struct worker *w) {
    if (__builtin_expect(w->warp.round == 0, 0)) {
        return sim_other_successor(w);
    }
    unsigned t = sim_take_lane(w);
    struct fiber *next = w->lane.fiber;
    sim_become(w, t);
    return next;
}

/* The running thread, which has said what it does, waits; there may be no thread to go on. */
unsigned long long sim_wait_for_any(struct worker *w, const unsigned long long *result);

/* The running thread waits in `state` at `at`. Returns when it is resumed, with what is in *result
 * then. It calls nothing on the usual way, so that its function need not save registers: those of
 * the kernel are saved once. */
static inline __attribute__((always_inline)) unsigned long long
sim_wait(struct worker *w, enum thread_state state, struct sim_location at,
         const unsigned long long *result) {
    unsigned lane = w->lane.thread % SIM_WARP_SIZE;
    struct thread *me = &w->warp.lanes[lane];
    struct fiber *mine = w->lane.fiber;
    w->lane.busy = true;
    me->at = at;
    me->fiber = mine;
    w->warp.state->in[state] |= 1u << lane;
    w->block.progress |= state != SPINNING && state != AT_VOLATILE;
    if (__builtin_expect(sim_hooks != NULL || w->warp.round == 0, 0)) {
        return sim_wait_for_any(w, result);
    }
    sim_become_plain(w, sim_take_lane(w));
    return FIBER_WAIT(mine, w->lane.fiber, &w->lane.busy, result);
}
