/* The shared memory of a block: its layout, and which variable an address belongs to. */
#pragma once

#include "exec/thread.h"

/* Begins a launch, which lays its static variables out in the order in which it first uses them, up
 * to `limit` bytes. */
void sim_shared_begin(size_t limit);

/* Its layout, for the launch to go on after others: up to SIM_SHARED_SLOTS variables. */
#define SIM_SHARED_SLOTS 1024
struct sim_shared_layout {
    size_t used, laid_out, most;
    unsigned count, offset[SIM_SHARED_SLOTS];
    struct sim_shared_slot *slot[SIM_SHARED_SLOTS];
};
void sim_shared_keep(struct sim_shared_layout *layout);
void sim_shared_resume(const struct sim_shared_layout *layout);

/* The bytes of static shared memory that the launch has used so far, and how far they reach into
 * the arena with the gaps between them. */
size_t sim_shared_used(void);
size_t sim_shared_laid_out(void);

/* The gap before each static variable: an access outside of one then does not land in another. */
extern size_t sim_shared_gap;

/* The static variable of this launch at this offset of the arena, or the nearest one; NULL if there
 * is none. */
const struct sim_shared_slot *sim_shared_nearest(size_t offset);

/* The size of the arena, and of the inaccessible memory after it. */
#define SIM_SHARED_ARENA ((size_t)192 * 1024)
#define SIM_SHARED_GUARD ((size_t)4096)

/* Maps the host thread's memory for one block; false when out of memory. */
bool sim_shared_create(struct worker *w);

/* Is `address` in the guard page behind the calling thread's dynamic shared memory? */
bool sim_past_dynamic_shared(const void *address);

/* The cause "elements" if a launch may have asked for as many bytes of dynamic shared memory as it
 * needs elements, with an access `offset` bytes from its beginning; NULL where that explains
 * nothing. */
const char *sim_if_elements(size_t asked, size_t element, ptrdiff_t offset);

/* The addresses of a device's shared memory have 32 bits: an unsigned index that has wrapped
 * around, as i - 1 where i is 0, is one below zero. Where such an address leads in this thread's
 * block; NULL if it is no such one. The other function maps the memory there, too, or returns
 * false. */
const char *sim_shared_wrapped(const void *address);
bool sim_shared_map_wrapped(const void *address);

/* Poisons shared memory for the next block, with `bytes` bytes of dynamic memory. */
void sim_shared_reset(struct worker *w, size_t bytes);
