#include "exec/worker.h"

#include "exec/fault.h"
#include "exec/shared.h"
#include "exec/warp.h"

#include <stdlib.h>
#include <unistd.h>

static struct worker *all;

struct worker *sim_workers(void) {
    return __atomic_load_n(&all, __ATOMIC_ACQUIRE);
}

struct worker *sim_create_worker(void) {
    struct worker *w = calloc(1, sizeof *w);
    if (!w || !sim_shared_create(w)) {
        free(w);
        return NULL;
    }
    w->host_thread = pthread_self();
    w->process = getpid();
    w->next_round = sim_next_round;
    w->launch.last_parked = &w->launch.parked;
    w->older = __atomic_load_n(&all, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&all, &w->older, w, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
    fiber_adopt_thread(&w->host);
    sim_prepare_fault_stack();
    return w;
}

static _Thread_local struct worker *spare;

struct worker *sim_borrow_worker(void) {
    struct worker *w = spare;
    if (w) {
        spare = w->spare;
        return w;
    }
    w = sim_create_worker();
    sim_shared_arena = sim_worker ? sim_worker->arena : NULL;
    return w;
}

void sim_give_worker_back(struct worker *w) {
    w->spare = spare;
    spare = w;
}

struct worker *sim_change_worker(struct worker *w, bool before_primary) {
    struct worker *before = sim_worker;
    sim_worker = w;
    sim_shared_arena = w ? w->arena : NULL;
    if (w) {
        w->launch.before_primary = before_primary;
    }
    return before;
}

uint64_t sim_parked_blocks(void) {
    return sim_worker->launch.parked_count;
}
