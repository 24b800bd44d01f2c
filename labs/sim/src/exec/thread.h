/* exec/: runs the threads of a launch, on fibers of a few host threads.
 *
 * This header: the threads of one block on one host thread (the worker). They run one after the
 * other; each runs until it is done or must wait for others. */
#ifndef SIM_THREAD_H
#define SIM_THREAD_H

#include "base/findings.h"
#include "exec/fiber.h"

enum thread_state { UNSTARTED, RUNNING, READY, AT_BARRIER, AT_WARP, DONE };
enum warp_operation { WARP_BARRIER, WARP_BALLOT, WARP_SHUFFLE, WARP_ACTIVE };

struct thread {
    enum thread_state state;
    struct fiber *fiber;    /* set while the thread waits or is ready */
    struct sim_location at; /* where it waits */
    int predicate;          /* at a barrier */
    /* At a warp operation: */
    enum warp_operation operation;
    unsigned mask, from;
    unsigned long long value; /* its input; when the thread is ready, its result */
};

struct worker {
    struct worker *older; /* the worker created before; after a fork the parent's still exist */
    struct thread thread[SIM_MAX_THREADS];
    uint3 index[SIM_MAX_THREADS]; /* threadIdx of each, for blocks of `shape` */
    dim3 shape;

    struct fiber fiber[SIM_MAX_THREADS];
    struct fiber *idle[SIM_MAX_THREADS];
    unsigned fibers, idle_count;
    struct fiber host; /* the scheduler's own stack */
    struct fiber *running;

    /* The block that runs now. In the warp that begins with thread `warp`, `next` threads have
     * begun and `limit` may begin. `waiting` counts the threads of the block that have begun and
     * wait. */
    const struct sim_config *config; /* NULL between blocks */
    void (*call)(const void *);
    const void *closure;
    unsigned current, warp, next, limit, count, waiting;
    bool reversed;                     /* begin with the last thread: CONVLABS_SIM_ORDER=reverse */
    struct sim_barrier_result barrier; /* of the last barrier */
    cudaError_t failed;                /* why the kernel ended early */

    char *arena;       /* static shared memory */
    char *dynamic_end; /* end of the dynamic shared memory, at a guard page */
    char *dynamic;     /* its start */
    unsigned poisoned; /* bytes of the arena that must be poisoned again */
};

extern _Thread_local struct worker *sim_worker;

/* The running thread waits in `state` at `at`. Returns when it is resumed. */
struct thread *sim_suspend(enum thread_state state, struct sim_location at);

/* Resumes thread `t` until it waits again or ends. */
void sim_resume(struct worker *w, unsigned t);

/* The running thread ends its kernel. */
__attribute__((noreturn)) void sim_end_kernel(cudaError_t error);

/* Is the caller a thread of a kernel? Then sets the kernel, block and thread, and *on_guard: is
 * `address` just below the stack of that thread? */
bool sim_current(const char **kernel, uint3 *block, uint3 *thread, const void *address,
                 bool *on_guard);

/* Starts the threads of the warp that begins with `first` and runs each until it must wait. */
void sim_begin_warp(struct worker *w, unsigned first);

/* Unmaps the fibers of a kernel that ended early: some of its threads are still on their stacks. */
void sim_abandon_stacks(struct worker *w);

#endif
