#include "check/address.h"

#include "base/options.h"
#include "exec/shared.h"
#include "memory/allocations.h"
#include "memory/heap.h"
#include "memory/program_constants.h"
#include "memory/variables.h"

#include <string.h>

/* g++ puts the gap of SIM_VARIABLE() before its variable; these come after the last variable. */
__attribute__((used, section(SIM_CONSTANT_SECTION))) static char constant_gap[SIM_VARIABLE_GAP];
__attribute__((used, section(SIM_DEVICE_SECTION))) static char device_gap[SIM_VARIABLE_GAP];
__attribute__((used, section(SIM_DEVICE_ZERO_SECTION))) static char zero_gap[SIM_VARIABLE_GAP];

#define RECENT 8 /* the objects looked up last, replaced in turn */

static struct {
    struct memory_object recent[RECENT];
    unsigned turn;
    struct shadow *arena, *dynamic, *variables[SIM_SECTIONS];
} cache;

void address_forget(void) {
    memset(cache.recent, 0, sizeof cache.recent);
}

void address_begin_block(const struct worker *w) {
    char *from = w->block.dynamic, *arena = w->arena;
    if (cache.arena == NULL || cache.arena->base != arena) {
        shadow_release(cache.arena);
        cache.arena = shadow_create(arena, SIM_SHARED_ARENA, false);
    }
    if (cache.dynamic == NULL || cache.dynamic->base != from) {
        shadow_release(cache.dynamic);
        cache.dynamic = shadow_create(from, (size_t)(w->dynamic_end - from), false);
    }
    if (cache.arena) {
        shadow_set_written(cache.arena, arena, sim_shared_laid_out(), false);
    }
    if (cache.dynamic) {
        shadow_set_written(cache.dynamic, from, (size_t)(w->dynamic_end - from), false);
    }
}

void address_resume_block(const struct worker *w) {
    address_begin_block(w);
    if (cache.arena) {
        shadow_set_written(cache.arena, w->arena, sim_shared_laid_out(), true);
    }
    if (cache.dynamic) {
        shadow_set_written(cache.dynamic, w->block.dynamic,
                           (size_t)(w->dynamic_end - w->block.dynamic), true);
    }
}

static bool is_in(const char *at, const char *from, const char *to) {
    return at >= from && at < to;
}

/* A range of addresses around `at`. */
struct range {
    const char *at, *from, *to;
};

/* Is it in the launch's arguments, or in constants of the program? */
static bool find_own(const struct worker *w, struct range *range) {
    range->from = w->launch.closure;
    range->to = range->from + w->block.config->closure_bytes;
    if (is_in(range->at, range->from, range->to)) {
        return true;
    }
    const struct sim_section constants = sim_program_constants(range->at);
    range->from = constants.from;
    range->to = constants.to;
    return constants.from != NULL;
}

/* The shadow of an allocation, created at the first access of a kernel. Memory that the host can
 * write counts as written. */
static struct shadow *shadow_of(struct sim_allocation *a) {
    if (a->shadow == NULL && !a->freed) {
        bool device = a->space == SIM_DEVICE_MEMORY || a->space == SIM_HEAP_MEMORY;
        a->shadow = shadow_create(a->base, a->bytes, !device || sim_options.ends);
    }
    return a->shadow;
}

static struct memory_object allocation(const char *at) {
    struct sim_allocation *a = (struct sim_allocation *)(uintptr_t)sim_owner(at);
    if (a == NULL) {
        return (struct memory_object){.kind = MEMORY_UNKNOWN};
    }
    const struct heap_chunk *chunk = a->space == SIM_HEAP_MEMORY ? sim_heap_chunk(at) : NULL;
    if (chunk != NULL) {
        return (struct memory_object){.kind = MEMORY_HEAP,
                                      .from = chunk->base,
                                      .to = chunk->base + chunk->bytes,
                                      .near = chunk->base,
                                      .far = chunk->base + chunk->size,
                                      .shadow = shadow_of(a),
                                      .declared_at = chunk->location,
                                      .freed = chunk->freed};
    }
    return (struct memory_object){.kind = MEMORY_GLOBAL,
                                  .from = a->base,
                                  .to = a->base + a->bytes,
                                  .near = a->mapping,
                                  .far = a->mapping + a->mapped,
                                  .shadow = shadow_of(a),
                                  .name = a->name,
                                  .declared_at = a->location,
                                  .freed = a->freed};
}

/* 0 if the address is in the variable. */
static size_t distance(const struct sim_variable *v, const char *at) {
    const char *from = v->address, *to = from + v->bytes;
    return at < from ? (size_t)(from - at) : at >= to ? (size_t)(at - to) + 1 : 0;
}

const struct sim_variable *address_variable(const char *at) {
    const struct sim_variable *nearest = sim_variables(), *v;
    unsigned i = 0;
    for (v = nearest; v; v = v->next) {
        nearest = distance(v, at) < distance(nearest, at) ? v : nearest;
    }
    for (const struct sim_static *s; (s = sim_nth_static(i)) != NULL; i++) {
        v = &s->variable;
        nearest = nearest == NULL || distance(v, at) < distance(nearest, at) ? v : nearest;
    }
    return nearest;
}

/* Is it so close to a device variable that the kernel meant that one? Kernels cannot name host
 * variables. */
static bool is_past_variable(const char *at) {
    const struct sim_variable *v = address_variable(at);
    const char *from = v ? v->address : NULL;
    uintptr_t address = (uintptr_t)at, first = (uintptr_t)from;
    return v && address + 1024 >= first && address < first + v->bytes + 1024;
}

/* The shadow of its section; a static variable of a device function has one of its own. */
static struct shadow *shadow_of_variable(const struct sim_variable *v) {
    char *from = (char *)(uintptr_t)v->address;
    const unsigned i = sim_section_of(from);
    const struct sim_section whole =
        i < SIM_SECTIONS ? sim_section(i) : (struct sim_section){from, from + v->bytes};
    struct shadow **shadow = i < SIM_SECTIONS ? &cache.variables[i] : &sim_static_at(from)->shadow;
    if (*shadow == NULL) {
        *shadow = shadow_create(whole.from, (size_t)(whole.to - whole.from), true);
    }
    return *shadow;
}

/* The variable at or nearest to this address. */
static struct memory_object variable(const char *at) {
    const struct sim_variable *v = address_variable(at);
    if (v == NULL) { /* the translator could not register it */
        return (struct memory_object){.kind = MEMORY_OWN, .near = at, .far = at + 1};
    }
    const char *from = v->address;
    const bool constant = sim_is_constant(from);
    return (struct memory_object){.kind = constant ? MEMORY_CONSTANT : MEMORY_VARIABLE,
                                  .from = from,
                                  .to = from + v->bytes,
                                  .near = from,
                                  .far = from + v->bytes,
                                  .shadow = constant ? NULL : shadow_of_variable(v),
                                  .name = v->name,
                                  .declared_at = {v->file, v->line}};
}

static struct memory_object shared(const struct worker *w, const char *at) {
    const struct sim_shared_slot *slot = sim_shared_nearest((size_t)(at - w->arena));
    if (slot == NULL) {
        return (struct memory_object){.kind = MEMORY_UNKNOWN};
    }
    const char *from = w->arena + slot->offset;
    return (struct memory_object){.kind = MEMORY_SHARED,
                                  .from = from,
                                  .to = from + slot->size,
                                  .near = from,
                                  .far = from + slot->size,
                                  .shadow = cache.arena,
                                  .name = slot->name,
                                  .declared_at = {slot->file, slot->line},
                                  .element = slot->element,
                                  .rows = slot->rows,
                                  .columns = slot->columns};
}

static struct memory_object find(const struct worker *w, const char *at) {
    if (is_in(at, w->arena, w->arena + SIM_SHARED_ARENA + SIM_SHARED_GUARD)) {
        return shared(w, at);
    }
    if (is_in(at, w->arena, w->dynamic_end + SIM_SHARED_GUARD)) {
        return (struct memory_object){.kind = MEMORY_DYNAMIC,
                                      .from = w->block.dynamic,
                                      .to = w->block.dynamic + w->block.config->shared,
                                      .near = w->block.dynamic,
                                      .far = w->dynamic_end,
                                      .shadow = cache.dynamic,
                                      .name = w->block.dynamic_name,
                                      .element = w->block.dynamic_element};
    }
    if (sim_section_of(at) != SIM_SECTIONS || sim_static_at(at) != NULL) {
        return variable(at);
    }
    struct memory_object object = allocation(at);
    if (object.kind == MEMORY_UNKNOWN && is_past_variable(at)) {
        return variable(at);
    }
    struct range range = {.at = at};
    if (object.kind == MEMORY_UNKNOWN && find_own(w, &range)) {
        object = (struct memory_object){.kind = MEMORY_OWN, .near = range.from, .far = range.to};
    }
    return object;
}

const struct memory_object *address_object(const struct worker *w, const char *at) {
    for (unsigned i = 0; i < RECENT; i++) {
        if (is_in(at, cache.recent[i].near, cache.recent[i].far)) {
            return &cache.recent[i];
        }
    }
    struct memory_object *object = &cache.recent[cache.turn++ % RECENT];
    *object = find(w, at);
    return object;
}

/* The shadow of the live device allocation that holds all of the range, or NULL. */
static struct shadow *device_shadow(const char *at, size_t bytes) {
    struct sim_allocation *a = (struct sim_allocation *)(uintptr_t)sim_owner(at);
    bool device = a && !a->freed && a->space == SIM_DEVICE_MEMORY && at >= a->base &&
                  at + bytes <= a->base + a->bytes;
    return device ? shadow_of(a) : NULL;
}

void address_filled(const char *to, size_t bytes) {
    struct shadow *shadow = device_shadow(to, bytes);
    if (shadow) {
        shadow_set_written(shadow, to, bytes, true);
    }
}

void address_copied(const char *to, const char *from, size_t bytes) {
    struct shadow *target = device_shadow(to, bytes), *source = device_shadow(from, bytes);
    if (target && source) {
        shadow_copy_written(target, to, source, from, bytes);
    } else if (target) {
        shadow_set_written(target, to, bytes, true);
    }
}

size_t address_unwritten(const char *from, size_t bytes) {
    const struct shadow *source = device_shadow(from, bytes);
    return source ? bytes - shadow_written(source, from, bytes) : 0;
}

struct sim_object address_described(const struct memory_object *p) {
    static const char *const space[] = {
        [MEMORY_HEAP] = "heap",         [MEMORY_SHARED] = "shared",   [MEMORY_DYNAMIC] = "dynamic",
        [MEMORY_CONSTANT] = "constant", [MEMORY_VARIABLE] = "global",
    };
    if (p->kind == MEMORY_GLOBAL) {
        return sim_object_of(sim_owner(p->from));
    }
    return (struct sim_object){.space = space[p->kind],
                               .name = p->name,
                               .bytes = (size_t)(p->to - p->from),
                               .made = p->declared_at,
                               .element = p->element,
                               .rows = p->rows,
                               .columns = p->columns};
}
