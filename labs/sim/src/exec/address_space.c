#include "exec/address_space.h"

#include "exec/shared.h"
#include "memory/allocations.h"
#include "memory/program_constants.h"
#include "memory/variables.h"

static bool is_in(const char *at, const char *from, const char *to) {
    return at >= from && at < to;
}

static struct address_space space(enum sim_memory memory, const char *from, const char *to) {
    return (struct address_space){.memory = memory, .from = from, .to = to};
}

/* A section of device variables, or a static variable of a device function. */
static bool find_variable(const char *at, struct address_space *found) {
    const unsigned i = sim_section_of(at);
    if (i < SIM_SECTIONS) {
        const struct sim_section section = sim_section(i);
        *found = space(i == SIM_CONSTANTS ? SIM_MEMORY_CONSTANT : SIM_MEMORY_GLOBAL, section.from,
                       section.to);
        found->is_shared_with_host = i == SIM_SHARED_WITH_HOST;
        return true;
    }
    const struct sim_static *own = sim_static_at(at);
    if (own != NULL) {
        const char *from = own->variable.address;
        *found = space(SIM_MEMORY_GLOBAL, from, from + own->variable.bytes);
    }
    return own != NULL;
}

struct address_space sim_space_of(const struct worker *w, const char *at) {
    struct address_space found;
    if (is_in(at, w->arena, w->dynamic_end)) {
        return space(SIM_MEMORY_SHARED, w->arena, w->dynamic_end);
    }
    const char *stack = w->lane.fiber->stack, *arguments = w->launch.closure;
    if (sim_is_on_stack(w, at)) {
        return space(SIM_MEMORY_LOCAL, stack, stack + w->lane.fiber->bytes);
    }
    if (find_variable(at, &found)) {
        return found;
    }
    const struct sim_allocation *owner = sim_owner(at);
    if (owner != NULL) {
        found = space(SIM_MEMORY_GLOBAL, owner->mapping, owner->mapping + owner->mapped);
        found.is_shared_with_host =
            owner->space != SIM_DEVICE_MEMORY && owner->space != SIM_HEAP_MEMORY;
        return found;
    }
    if (is_in(at, arguments, arguments + w->block.config->closure_bytes)) {
        return space(SIM_MEMORY_LOCAL, arguments, arguments + w->block.config->closure_bytes);
    }
    const struct sim_section constants = sim_program_constants(at);
    if (is_in(at, constants.from, constants.to)) {
        return space(SIM_MEMORY_GLOBAL, constants.from, constants.to);
    }
    const bool wraps = sim_shared_wrapped(at) != NULL;
    return space(wraps ? SIM_MEMORY_SHARED : SIM_MEMORY_NONE, at, at + 1);
}

bool sim_is_on_any_stack(const struct worker *w, const char *at) {
    unsigned i = 0;
    while (i < w->fibers &&
           !is_in(at, w->fiber[i].mapping, w->fiber[i].mapping + w->fiber[i].mapped)) {
        i++;
    }
    return i < w->fibers;
}

enum sim_memory sim_memory_of(const void *address) {
    const struct worker *w = sim_worker;
    if (!w || !w->block.config) {
        return SIM_MEMORY_NONE;
    }
    return sim_space_of(w, address).memory;
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
