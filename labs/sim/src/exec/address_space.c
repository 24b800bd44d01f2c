/* Which memory of the device an address belongs to: __isShared() and its like. */
#include "exec/shared.h"
#include "exec/thread.h"
#include "memory/allocations.h"
#include "memory/variables.h"

static bool is_in(const char *at, const char *from, const char *to) {
    return at >= from && at < to;
}

static bool is_shared(const struct worker *w, const char *at) {
    return is_in(at, w->arena, w->arena + SIM_SHARED_ARENA) ||
           is_in(at, w->block.dynamic, w->dynamic_end);
}

enum sim_memory sim_memory_of(const void *address) {
    const struct worker *w = sim_worker;
    const char *at = address;
    if (!w || !w->block.config) {
        return SIM_MEMORY_NONE;
    }
    if (is_shared(w, at)) {
        return SIM_MEMORY_SHARED;
    }
    if (is_in(at, w->lane.fiber->stack, w->lane.fiber->stack + w->lane.fiber->bytes)) {
        return SIM_MEMORY_LOCAL;
    }
    if (sim_is_constant(at)) {
        return SIM_MEMORY_CONSTANT;
    }
    bool is_global = sim_owner(at) || sim_section_of(at) < SIM_SECTIONS;
    return is_global ? SIM_MEMORY_GLOBAL : SIM_MEMORY_NONE;
}

/* Static shared memory comes first, then the dynamic one. */
size_t sim_shared_offset(const void *address) {
    const struct worker *w = sim_worker;
    const char *at = address;
    if (is_in(at, w->arena, w->arena + SIM_SHARED_ARENA)) {
        return (size_t)(at - w->arena);
    }
    return SIM_SHARED_ARENA + (size_t)(at - w->block.dynamic);
}

void *sim_shared_at(size_t offset) {
    const struct worker *w = sim_worker;
    return offset < SIM_SHARED_ARENA ? w->arena + offset
                                     : w->block.dynamic + (offset - SIM_SHARED_ARENA);
}
