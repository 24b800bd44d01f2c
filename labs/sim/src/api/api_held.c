/* What a program holds, and what it can see of the device: for a runner that asks whether a
 * function has left something behind, and whether the host could have done the work. */
#include "api/api.h"
#include "api/event.h"
#include "base/options.h"
#include "exec/hooks.h"
#include "memory/allocations.h"
#include "queue/clock.h"
#include "queue/copy.h"
#include "queue/queue.h"

int sim_held(struct sim_held *held) {
    *held = (struct sim_held){.streams = sim_streams(), .events = sim_events()};
    sim_lock_device();
    const struct sim_allocation *a;
    for (size_t i = 0; (a = sim_nth_allocation(i)) != NULL; i++) {
        const bool is_device = a->space == SIM_DEVICE_MEMORY || a->space == SIM_MANAGED_MEMORY;
        const bool is_pinned = a->space == SIM_PINNED_MEMORY || a->space == SIM_REGISTERED_MEMORY;
        const bool ends = a->freed || a->is_free_queued || a->of_graph;
        held->device += is_device && !ends;
        held->pinned += is_pinned && !ends;
    }
    sim_unlock_device();
    return sim_sticky() == cudaSuccess;
}

int sim_has_work(void) {
    return sim_any_unfinished();
}

int sim_may_meet_next_call(void) {
    const bool is_checked = sim_options.check && !sim_options.profile && !sim_options.ends;
    return is_checked && sim_async_any_dependent() && sim_any_unfinished();
}

void sim_students_turn(const void *frame) {
    if (sim_hooks && sim_hooks->students_turn) {
        sim_hooks->students_turn(frame);
    }
}

size_t sim_seen_by_host(void) {
    sim_lock_device();
    const size_t shared = sim_shared_with_host();
    sim_unlock_device();
    return sim_copied_to_host() + shared;
}
