#include "exec/block.h"

#include "exec/fault.h"
#include "exec/hooks.h"
#include "exec/shared.h"
#include "exec/warp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_barrier_result sim_barrier(int predicate, const char *file, int line) {
    sim_worker->thread[sim_worker->current].predicate = predicate != 0;
    sim_suspend(AT_BARRIER, (struct sim_location){file, line});
    return sim_worker->barrier;
}

/* Describes where the first thread in `state` waits. */
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
    snprintf(text, size, "no thread waits at a barrier of the block");
}

static void report_deadlock(const struct worker *w) {
    unsigned stuck = 0;
    while (w->thread[stuck].state != AT_WARP) {
        stuck++;
    }
    struct sim_finding finding = {.kind = "barrier-divergence",
                                  .kernel = w->config->kernel,
                                  .location = w->thread[stuck].at,
                                  .block = &blockIdx,
                                  .thread = &w->index[stuck]};
    char at_warp[256], at_barrier[256];
    describe(w, AT_WARP, at_warp, sizeof at_warp);
    describe(w, AT_BARRIER, at_barrier, sizeof at_barrier);
    sim_report(&finding, "kernel %s never ends: %s (mask 0x%08x) that never arrive; %s",
               w->config->kernel, at_warp, w->thread[stuck].mask, at_barrier);
}

/* Reports a thread that has left the kernel or waits at another barrier than the first one. A
 * device hangs there, or goes on with undefined behaviour. */
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
                                  .location = leader->at,
                                  .block = &blockIdx,
                                  .thread = &w->index[first]};
    if (!left) {
        finding.other = w->thread[other].at;
    }
    const uint3 *a = &w->index[first], *b = &w->index[other];
    sim_report_once(
        &finding,
        "not all threads of block (%u,%u,%u) reach this barrier: thread (%u,%u,%u) waits "
        "here, thread (%u,%u,%u) %s",
        blockIdx.x, blockIdx.y, blockIdx.z, a->x, a->y, a->z, b->x, b->y, b->z,
        left ? "has left the kernel" : "waits at another barrier");
}

/* Every thread that is not done waits at a barrier: lets all of them pass. */
static void pass_barrier(struct worker *w) {
    report_divergence(w);
    if (sim_hooks) {
        sim_hooks->barrier();
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
    unsigned last = (w->count - 1) / SIM_WARP_SIZE;
    return (w->reversed ? last - i : i) * SIM_WARP_SIZE;
}

static void run_to_end(struct worker *w) {
    unsigned warps = (w->count + SIM_WARP_SIZE - 1) / SIM_WARP_SIZE;
    for (unsigned i = 0; i < warps && w->failed == cudaSuccess; i++) {
        unsigned first = warp_in_order(w, i), waiting = w->waiting;
        sim_begin_warp(w, first);
        if (sim_hooks) {
            sim_hooks->warp_waits(w, first);
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
    blockDim = (uint3){config->block.x, config->block.y, config->block.z};
    gridDim = (uint3){config->grid.x, config->grid.y, config->grid.z};
    uint64_t row = index / config->grid.x;
    blockIdx = (uint3){(unsigned)(index % config->grid.x), (unsigned)(row % config->grid.y),
                       (unsigned)(row / config->grid.y)};
    w->config = config;
    if (sim_hooks) {
        sim_hooks->block_begin(w);
    }
    run_to_end(w);
    w->config = NULL;
    if (w->failed != cudaSuccess) {
        sim_abandon_stacks(w);
    }
    w->poisoned = (unsigned)sim_shared_laid_out();
    return w->failed;
}
