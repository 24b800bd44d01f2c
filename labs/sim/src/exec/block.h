/* The threads of one block on one host thread: what block.c, warp.c and shared.c share. */
#ifndef SIM_BLOCK_H
#define SIM_BLOCK_H

#include "exec/fiber.h"
#include "base/sim.h"

/* One launch, as sim_launch.h passes it. */
struct sim_config {
    dim3 grid, block;
    size_t shared; /* bytes of dynamic shared memory */
    cudaStream_t stream;
    const void *function; /* the kernel, or NULL when only its name is known */
    const char *kernel, *file;
    int line;
    size_t closure_bytes; /* of the arguments, as the threads find them */
};

/* One declaration of a __shared__ variable, as sim_launch.h registers it. */
struct sim_shared_slot {
    const char *name, *file;
    int line;
    unsigned size, align;
    unsigned launch, offset; /* the offset holds for that launch */
};

/* ---- what kernels call */

struct sim_barrier_result {
    int set, threads;
};
struct sim_barrier_result sim_barrier(int predicate, const char *file, int line);
unsigned long long sim_warp_shuffle(unsigned mask, unsigned long long value, unsigned from,
                                    const char *file, int line);
unsigned sim_warp_ballot(unsigned mask, int predicate, const char *file, int line);
void sim_warp_barrier(unsigned mask, const char *file, int line);
unsigned sim_active_lanes(const char *file, int line);
unsigned sim_lane(void);
unsigned long long sim_clock(void);
__attribute__((noreturn)) void sim_trap(const char *file, int line);
void *sim_shared_address(struct sim_shared_slot *slot);
void *sim_dynamic_shared(void);
extern _Thread_local uint3 threadIdx, blockIdx;
extern _Thread_local dim3 blockDim, gridDim;

/* ---- a host thread that runs blocks */

enum thread_state { UNSTARTED, RUNNING, READY, AT_BARRIER, AT_WARP, DONE };
enum warp_operation { WARP_BARRIER, WARP_BALLOT, WARP_SHUFFLE, WARP_ACTIVE };

struct thread {
    enum thread_state state;
    struct fiber *fiber; /* while it waits or is ready */
    struct sim_place at; /* where it waits */
    int predicate;       /* at a barrier */
    /* At a warp operation: */
    enum warp_operation operation;
    unsigned mask, from;
    unsigned long long value; /* what it gives; when it is ready, what it gets */
};

struct worker {
    struct worker *older; /* the worker made before: after a fork the parent's are still there */
    struct thread thread[SIM_MAX_THREADS];
    uint3 index[SIM_MAX_THREADS]; /* threadIdx of each, for blocks of `shape` */
    dim3 shape;

    struct fiber fiber[SIM_MAX_THREADS];
    struct fiber *idle[SIM_MAX_THREADS];
    unsigned fibers, idle_count;
    struct fiber host; /* the scheduler's own stack */
    struct fiber *running;

    /* The block that runs now: of the warp that begins with thread `warp`, `next` have begun and
     * `limit` may; `waiting` of all threads have begun and do not run. */
    const struct sim_config *config; /* NULL between blocks */
    void (*call)(const void *);
    const void *closure;
    unsigned current, warp, next, limit, count, waiting;
    bool reversed;                     /* begin with the last thread: CONVLABS_SIM_ORDER=reverse */
    struct sim_barrier_result barrier; /* of the one last passed */
    cudaError_t failed;                /* why the kernel ended early */

    char *arena;       /* static shared memory */
    char *dynamic_end; /* dynamic shared memory ends here, at a guard page */
    char *dynamic;     /* and begins here */
    unsigned poisoned; /* bytes of the arena that must be poisoned again */
};

extern _Thread_local struct worker *sim_worker;

/* ---- block.c */

/* Runs all threads of block number `index`, the last one first if `reversed`. Returns cudaSuccess,
 * or why the kernel must end, for which a finding gives the reason. */
cudaError_t sim_run_block(const struct sim_config *config, uint64_t index, bool reversed,
                          void (*call)(const void *), const void *closure);

/* The thread that runs now waits in `state` at `at`; comes back when it is resumed. */
struct thread *sim_suspend(enum thread_state state, struct sim_place at);

/* Goes on with thread `t` until it waits again or ends. */
void sim_resume(struct worker *w, unsigned t);

/* The thread that runs now ends its kernel. */
__attribute__((noreturn)) void sim_end_kernel(cudaError_t error);

/* Is the caller a thread of a kernel? Then: of which, for reports. *on_guard: `address` is just
 * below its stack. */
bool sim_current(const char **kernel, uint3 *block, uint3 *thread, const void *address,
                 bool *on_guard);

/* ---- warp.c */

/* Runs the warp that begins with thread `first` until each of its lanes is done, at the block's
 * barrier, or waits for what never comes. */
void sim_settle_warp(struct worker *w, unsigned first);

/* ---- shared.c */

/* Begins a launch: static variables are laid out anew as the kernel meets them, up to `limit`
 * bytes. */
void sim_shared_begin(size_t limit);

/* The bytes of static shared memory that the launch has met so far; and how far into the arena
 * they reach with the gaps between them. */
size_t sim_shared_used(void);
size_t sim_shared_laid_out(void);

/* Bytes to leave before each static variable, so that who leaves one does not land in the next. */
extern size_t sim_shared_gap;

/* The static variable of this launch that holds this place of the arena, or else the nearest; NULL
 * when there is none. */
const struct sim_shared_slot *sim_shared_nearest(size_t offset);

/* The arena's size, and that of the inaccessible memory behind it. */
#define SIM_SHARED_ARENA ((size_t)192 * 1024)
#define SIM_SHARED_GUARD ((size_t)4096)

/* The host thread's memory for one block; false when there is none. */
bool sim_shared_create(struct worker *w);

/* Is `address` in the guard page behind the calling thread's dynamic shared memory? */
bool sim_past_dynamic_shared(const void *address);

/* Poisons it for the next block, with `bytes` of dynamic memory. */
void sim_shared_reset(struct worker *w, size_t bytes);

#endif
