/* A block's shared memory: how it is laid out, and what lies where. */
#ifndef SIM_SHARED_H
#define SIM_SHARED_H

#include "exec/thread.h"

/* Begins a launch: static variables are laid out anew as the kernel meets them, up to `limit`
 * bytes. */
void sim_shared_begin(size_t limit);

/* The bytes of static shared memory that the launch has met so far; and how far into the arena
 * they reach with the gaps between them. */
size_t sim_shared_used(void);
size_t sim_shared_laid_out(void);

/* Bytes to leave before each static variable, so that who leaves one does not land in the next. */
extern size_t sim_shared_gap;

/* The static variable of this launch that holds this location of the arena, or else the nearest;
 * NULL when there is none. */
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
