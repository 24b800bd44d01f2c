#include "block.h"
#include "pool.h"
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>

void sim_run(const struct sim_config *config, void (*call)(const void *), const void *closure);
cudaError_t sim_function_attribute(const void *kernel, enum cudaFuncAttribute attribute, int value);

struct job {
    const struct sim_config *config;
    void (*call)(const void *);
    const void *closure;
};

static bool opted_in; /* some kernel of the program may have more than 48 KB of dynamic memory */

cudaError_t sim_function_attribute(const void *kernel, enum cudaFuncAttribute attribute, int value) {
    (void)kernel;
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
        if (value < 0 || (unsigned)value > SIM_MAX_SHARED) {
            return sim_fail(cudaErrorInvalidValue);
        }
        opted_in = true;
    }
    return cudaSuccess;
}

static bool work(void *context, uint64_t i) {
    const struct job *job = context;
    return sim_run_block(job->config, i, job->call, job->closure);
}

/* Does the device take this launch? The driver's answer and, in `why`, what is wrong. */
static cudaError_t check(const struct sim_config *c, char *why, size_t size) {
    const dim3 *g = &c->grid, *b = &c->block;
    unsigned long long threads = (unsigned long long)b->x * b->y * b->z;
    if (threads == 0 || g->x == 0 || g->y == 0 || g->z == 0) {
        snprintf(why, size, "grid (%u,%u,%u) of blocks (%u,%u,%u) is empty: every side must be at "
                            "least 1", g->x, g->y, g->z, b->x, b->y, b->z);
        return cudaErrorInvalidConfiguration;
    }
    if (threads > SIM_MAX_THREADS) {
        snprintf(why, size, "block (%u,%u,%u) has %llu threads; a block may have at most %d", b->x,
                 b->y, b->z, threads, SIM_MAX_THREADS);
        return cudaErrorInvalidConfiguration;
    }
    if (b->z > 64) {
        snprintf(why, size, "block (%u,%u,%u): z may be at most 64", b->x, b->y, b->z);
        return cudaErrorInvalidConfiguration;
    }
    if (g->x > 0x7fffffffu || g->y > 65535 || g->z > 65535) {
        snprintf(why, size, "grid (%u,%u,%u): x may be at most 2147483647, y and z 65535", g->x,
                 g->y, g->z);
        return cudaErrorInvalidConfiguration;
    }
    size_t most = opted_in ? SIM_MAX_SHARED : SIM_STATIC_SHARED;
    if (c->shared > most) {
        snprintf(why, size, "%zu bytes of dynamic shared memory; a block may have %zu%s", c->shared,
                 most, opted_in ? "" : ", or more after cudaFuncSetAttribute()");
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

void sim_run(const struct sim_config *config, void (*call)(const void *), const void *closure) {
    struct sim_place place = {config->file, config->line};
    sim_report_unseen();
    if (sim_sticky() != cudaSuccess) {
        return;
    }
    if (sim_injected("launch")) {
        sim_fail(cudaErrorLaunchOutOfResources);
        return;
    }
    char why[256];
    cudaError_t refused = check(config, why, sizeof why);
    if (refused != cudaSuccess) {
        struct sim_finding finding = {.severity = "error", .kind = "invalid-launch",
                                      .kernel = config->kernel, .place = place};
        sim_report(&finding, "the launch of %s fails with %s: %s", config->kernel,
                   cudaGetErrorName(refused), why);
        sim_fail(refused);
        sim_error_unseen(config->kernel, place);
        return;
    }
    static bool prepared;
    if (!prepared) {
        prepared = true;
        sim_catch_faults();
    }
    sim_block_begin_launch();
    struct job job = {config, call, closure};
    uint64_t blocks = (uint64_t)config->grid.x * config->grid.y * config->grid.z;
    if (!sim_pool_run(blocks, work, &job)) {
        sim_fail_for_good(cudaErrorLaunchFailure);
    }
    if (sim_static_shared() > SIM_STATIC_SHARED) {
        struct sim_finding finding = {.severity = "error", .kind = "invalid-launch",
                                      .kernel = config->kernel, .place = place};
        sim_report(&finding, "%s declares %u bytes of __shared__ variables; nvcc refuses more than "
                             "%u", config->kernel, sim_static_shared(), SIM_STATIC_SHARED);
    }
}

__attribute__((destructor)) static void at_exit(void) {
    sim_report_unseen();
    sim_report_leaks();
}
