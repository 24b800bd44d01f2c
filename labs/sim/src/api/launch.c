/* A launch: checks whether a device accepts it, and queues it. When it runs, its blocks run on all
 * cores. */
#include "api/launch.h"

#include "api/api.h"
#include "api/kernel_progress.h"
#include "base/limits.h"
#include "base/occupancy.h"
#include "base/options.h"
#include "exec/block.h"
#include "exec/fault.h"
#include "exec/hooks.h"
#include "exec/pool.h"
#include "exec/shared.h"
#include "exec/watch.h"
#include "exec/worker.h"
#include "memory/allocations.h"
#include "memory/variables.h"
#include "queue/queue.h"

#include <stdlib.h>
#include <string.h>

/* The work of the threads of the pool. */
struct job {
    const struct sim_config *config;
    void (*thread)(const void *);
    const void *closure;
    uint64_t blocks, first; /* first: the blocks before it have begun already */
    bool reversed;          /* the last block and the last thread first */
    cudaError_t failed;
};

static struct sim_kernel *kernels;
bool sim_any_opted_in;
static _Thread_local bool bad_argument; /* of the launch that follows */

struct sim_kernel *sim_kernel_of(const void *function) {
    struct sim_kernel *k = kernels;
    while (k && k->function != function) {
        k = k->next;
    }
    if (!k && (k = calloc(1, sizeof *k))) {
        k->function = function;
        k->next = kernels;
        kernels = k;
    }
    return k;
}

bool sim_bound_threads(const void *function, long long threads) {
    sim_lock_device();
    struct sim_kernel *k = sim_kernel_of(function);
    if (k && threads > 0 && threads < SIM_MAX_THREADS) {
        k->most_threads = (int)threads;
    }
    sim_unlock_device();
    return true;
}

/* The most shared memory, static and dynamic, that a block of this kernel may use. */
static size_t shared_limit(const struct sim_config *c, const struct sim_kernel *k) {
    bool more = c->function ? k->dynamic_limit > 0 : sim_any_opted_in;
    size_t limit = sim_shared_optin;
    if (more && c->function) {
        limit = k->dynamic_limit + k->static_shared;
    }
    return more && limit > SIM_BLOCK_SHARED ? limit : SIM_BLOCK_SHARED;
}

/* Does the device accept this launch? Returns its answer and notes in `why` what is wrong. */
static cudaError_t check(const struct sim_config *c, const struct sim_kernel *k, bool is_stream,
                         struct sim_finding *why) {
    const dim3 *g = &c->grid, *b = &c->block;
    uint64_t plane = (uint64_t)b->x * b->y; /* this product fits; times z it may not */
    if (plane == 0 || b->z == 0 || g->x == 0 || g->y == 0 || g->z == 0) {
        why->found = FOUND_EMPTY_GRID;
        return cudaErrorInvalidConfiguration;
    }
    if (plane > SIM_MAX_THREADS || plane * b->z > SIM_MAX_THREADS) {
        why->found = FOUND_TOO_MANY_THREADS;
        why->limit = SIM_MAX_THREADS;
        return cudaErrorInvalidConfiguration;
    }
    if (k->most_threads && plane * b->z > (uint64_t)k->most_threads) {
        why->found = FOUND_LAUNCH_BOUNDS;
        why->limit = k->most_threads;
        return cudaErrorInvalidValue;
    }
    if (b->z > 64) {
        why->found = FOUND_BLOCK_TOO_DEEP;
        return cudaErrorInvalidConfiguration;
    }
    if (g->x > 0x7fffffffu || g->y > 65535 || g->z > 65535) {
        why->found = FOUND_GRID_TOO_LARGE;
        return cudaErrorInvalidConfiguration;
    }
    if (!is_stream) {
        why->found = FOUND_NO_STREAM;
        return cudaErrorInvalidResourceHandle;
    }
    int resident = sim_blocks_that_fit((int)(plane * b->z), c->shared + k->static_shared);
    if (c->cooperative && (uint64_t)g->x * g->y * g->z > (uint64_t)resident * SIM_MULTIPROCESSORS) {
        why->found = FOUND_TOO_LARGE_TO_COOPERATE;
        why->value = resident;
        why->limit = SIM_MULTIPROCESSORS;
        return cudaErrorCooperativeLaunchTooLarge;
    }
    size_t limit = shared_limit(c, k);
    if (c->shared > limit || c->shared + k->static_shared > limit) {
        why->found = FOUND_TOO_MUCH_SHARED;
        why->bytes = c->shared + k->static_shared;
        why->value = (long long)k->static_shared;
        why->limit = (long long)limit;
        why->number = limit == SIM_BLOCK_SHARED ? (long long)sim_shared_optin : 0;
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static bool run_block(void *context, uint64_t i) {
    struct job *job = context;
    const uint64_t number = job->first + i;
    const uint64_t turn = sim_options.ends && number > 0 ? job->blocks - 1 : number;
    const uint64_t index = job->reversed ? job->blocks - 1 - turn : turn;
    cudaError_t error = sim_run_block(job->config, index, job->reversed, job->thread, job->closure);
    if (error != cudaSuccess) {
        __atomic_store_n(&job->failed, error, __ATOMIC_RELAXED);
    }
    return error == cudaSuccess;
}

static bool finish(void *context, bool succeeded) {
    struct job *job = context;
    if (!succeeded) {
        sim_forget_blocks();
        return false;
    }
    cudaError_t error = sim_finish_blocks(job->config);
    if (error != cudaSuccess) {
        sim_forget_blocks();
        __atomic_store_n(&job->failed, error, __ATOMIC_RELAXED);
    }
    return error == cudaSuccess;
}

/* Refuses the launch: the program learns of it only if it asks. */
static void refuse(const struct sim_config *c, cudaError_t error) {
    sim_fail(error);
    sim_unchecked_launch(&(struct sim_finding){.found = FOUND_UNCHECKED_LAUNCH,
                                               .kernel = c->kernel,
                                               .location = {c->file, c->line},
                                               .error = cudaGetErrorName(error)});
}

/* What a launch that has begun before its primary leaves until that one has ended. */
struct early {
    struct worker *worker;
    struct sim_shared_layout shared;
    uint64_t blocks; /* that have begun */
    bool failed;
};
#define MOST_EARLY SIM_MULTIPROCESSORS /* parked blocks; no other begins then */

/* A launch in the queue. The arguments follow, aligned as the queue aligns this structure. */
struct launch {
    struct sim_config config;
    struct sim_kernel *kernel;
    void (*thread)(const void *);
    size_t limit; /* of shared memory, when it was launched */
    struct early *early;
};
#define LAUNCH_BYTES ((sizeof(struct launch) + 127) / 128 * 128)

static struct job job_of(const struct launch *launch) {
    const struct sim_config *c = &launch->config;
    return (struct job){.config = c,
                        .thread = launch->thread,
                        .closure = (const char *)launch + LAUNCH_BYTES,
                        .blocks = (uint64_t)c->grid.x * c->grid.y * c->grid.z,
                        .reversed = sim_options.reverse};
}

/* How many of the blocks are to run. */
static uint64_t blocks_to_run(const struct job *job) {
    return sim_options.ends && job->blocks > 2 ? 2 : job->blocks;
}

static void open(const struct job *job) {
    sim_catch_faults();
    sim_open_device();
    if (sim_hooks) {
        sim_hooks->launch_begin(job->config);
    }
    sim_watch_begin();
    sim_progress_begin(job->config->kernel, job->blocks);
}

static void close(const struct job *job) {
    const struct sim_config *c = job->config;
    sim_progress_end();
    if (sim_hooks) {
        sim_hooks->launch_end(c, job->closure);
    }
    sim_close_device(c->kernel, (struct sim_location){c->file, c->line});
}

/* The launch has ended, or failed. */
static void conclude(const struct launch *launch, const struct job *job, bool ended) {
    const struct sim_config *c = &launch->config;
    launch->kernel->known = launch->kernel->known || ended;
    if (sim_shared_used() > launch->kernel->static_shared) {
        launch->kernel->static_shared = sim_shared_used();
    }
    if (ended) {
        return;
    }
    if (job->failed == cudaErrorInvalidValue) {
        sim_fail(job->failed); /* shared.c has reported the reason */
    } else if (job->failed == cudaErrorLaunchOutOfResources) {
        refuse(c, job->failed);
    } else {
        sim_fail_for_good(job->failed);
    }
}

static void run_all(const struct launch *launch) {
    struct job job = job_of(launch);
    sim_shared_begin(launch->limit - launch->config.shared);
    open(&job);
    const bool ended =
        sim_pool_run(blocks_to_run(&job), run_block, finish, &job, launch->config.cooperative);
    close(&job);
    conclude(launch, &job, ended);
}

/* Begins a launch before its primary runs: each block runs until it waits. */
static bool begin(void *closure) {
    struct launch *launch = closure;
    struct early *early = calloc(1, sizeof *early);
    if (!early || !(early->worker = sim_borrow_worker())) {
        free(early);
        return false;
    }
    launch->early = early;
    struct job job = job_of(launch);
    struct worker *before = sim_change_worker(early->worker, true);
    sim_shared_begin(launch->limit - launch->config.shared);
    open(&job);
    const uint64_t most = blocks_to_run(&job);
    while (early->blocks < most && !early->failed && sim_parked_blocks() < MOST_EARLY) {
        early->failed = !run_block(&job, early->blocks++);
    }
    close(&job);
    sim_shared_keep(&early->shared);
    sim_change_worker(before, false);
    if (early->failed) {
        conclude(launch, &job, false);
    }
    return true;
}

/* Its primary has ended: lets the blocks go on that wait, and runs the others. */
static void run_rest(const struct launch *launch) {
    const struct early *early = launch->early;
    struct job job = job_of(launch);
    job.first = early->blocks;
    struct worker *before = sim_change_worker(early->worker, false);
    sim_shared_resume(&early->shared);
    open(&job);
    const uint64_t rest = blocks_to_run(&job) - job.first;
    const bool ended =
        rest > 0 ? sim_pool_run(rest, run_block, finish, &job, true) : finish(&job, true);
    close(&job);
    sim_change_worker(before, false);
    conclude(launch, &job, ended);
}

static void run(void *closure) {
    const struct launch *launch = closure;
    if (!launch->early) {
        run_all(launch);
    } else if (!launch->early->failed) {
        run_rest(launch);
    }
}

/* The launch has ended, or never will. */
static void drop(void *closure) {
    struct early *early = ((struct launch *)closure)->early;
    if (early) {
        struct worker *before = sim_change_worker(early->worker, false);
        sim_forget_blocks();
        sim_change_worker(before, false);
        sim_give_worker_back(early->worker);
        free(early);
    }
}

/* The launch has an argument that the device cannot use. */
static void fail(void *closure) {
    (void)closure;
    sim_fail_for_good(cudaErrorIllegalAddress);
}

/* Queues a launch that the device accepts. Only the first run of a kernel shows how much static
 * shared memory it has; where that decides whether the launch is refused, it runs at once. */
static cudaError_t queue(const struct sim_config *c, struct sim_kernel *k, size_t limit,
                         void (*thread)(const void *), const void *arguments) {
    char usual[LAUNCH_BYTES + 4096]; /* as many bytes as CUDA's arguments had */
    size_t bytes = LAUNCH_BYTES + c->closure_bytes;
    char *buffer = bytes <= sizeof usual ? usual : malloc(bytes);
    if (!buffer) {
        return cudaErrorMemoryAllocation;
    }
    const struct launch launch = {*c, k, thread, limit, NULL};
    memcpy(buffer, &launch, sizeof launch);
    memcpy(buffer + LAUNCH_BYTES, arguments, c->closure_bytes);
    const struct sim_operation operation = {.kind = SIM_OP_KERNEL,
                                            .name = c->kernel,
                                            .location = {c->file, c->line},
                                            .run = bad_argument ? fail : run,
                                            .begin = c->overlaps && !bad_argument ? begin : NULL,
                                            .destroy = c->overlaps ? drop : NULL,
                                            .closure = buffer,
                                            .closure_bytes = bytes};
    cudaError_t error = c->shared > 0 && !k->known ? sim_enqueue_and_wait(c->stream, &operation)
                                                   : sim_enqueue(c->stream, &operation);
    if (buffer != usual) {
        free(buffer);
    }
    return error;
}

/* The host uses __managed__ variables as well. */
static void watch_managed_variables(void) {
    static bool told;
    const size_t bytes = (size_t)(__stop_sim_managed - __start_sim_managed);
    if (!told && bytes > 0) {
        told = true;
        sim_let_host_observe(__start_sim_managed, bytes);
    }
}

static void launch(const struct sim_config *c, void (*thread)(const void *),
                   const void *arguments) {
    watch_managed_variables();
    const bool is_stream =
        sim_is_stream(c->stream); /* the queue's lock comes before the device's */
    sim_lock_device();
    struct sim_kernel *k =
        sim_kernel_of(c->function ? c->function : (const void *)(uintptr_t)thread);
    struct sim_finding why = {.found = FOUND_LAUNCH_NO_MEMORY,
                              .kernel = c->kernel,
                              .location = {c->file, c->line},
                              .grid = c->grid,
                              .threads = c->block};
    cudaError_t answer = k ? check(c, k, is_stream, &why) : cudaErrorMemoryAllocation;
    size_t limit = k ? shared_limit(c, k) : 0;
    sim_unlock_device();
    if (answer == cudaSuccess) {
        sim_note_queued(SIM_LAUNCH, c->stream);
        queue(c, k, limit, thread, arguments);
        return;
    }
    sim_fail(answer);
    why.error = cudaGetErrorName(answer);
    sim_unchecked_launch(&why);
}

void sim_launch(const struct sim_config *c, void (*thread)(const void *), const void *closure) {
    sim_begin_launch();
    if (sim_sticky() != cudaSuccess) {
        sim_fail(sim_sticky());
    } else if (sim_in_host_call) {
        sim_fail(cudaErrorNotPermitted);
    } else {
        const cudaError_t injected = sim_injected_launch((struct sim_location){c->file, c->line});
        if (injected == cudaSuccess) {
            launch(c, thread, closure);
        } else {
            sim_note_queued(SIM_LAUNCH, c->stream); /* it looks queued until the program asks */
            refuse(c, injected);
        }
    }
    bad_argument = false;
}

/* Is an argument a pointer to host memory, or the host's name of a device variable? A device that
 * used it would end the program. */
void sim_check_pointer(const struct sim_config *c, int number, const volatile void *pointer) {
    const void *p = (const void *)(uintptr_t)pointer;
    struct sim_finding finding = {
        .kernel = c->kernel, .location = {c->file, c->line}, .value = number};
    sim_lock_device();
    bool known = sim_owner(p) || sim_device_end(p) || sim_is_managed(p), name = sim_is_host_name(p);
    sim_unlock_device();
    if (name) {
        finding.found = FOUND_ARGUMENT_NAME;
        sim_report(&finding);
        bad_argument = true;
        return;
    }
    if (sim_checked || known || !sim_is_readable(p)) {
        return; /* when checked, the access itself is reported; an invalid address faults */
    }
    finding.found = FOUND_ARGUMENT_HOST;
    sim_report(&finding);
    bad_argument = true;
}
