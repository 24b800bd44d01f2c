/* The workers of the host threads. Each has one of its own, and may borrow others for launches that
 * begin before another one runs (overlap.h). */
#pragma once

#include "exec/thread.h"

/* The worker that was created last; the others follow in `older`. */
struct worker *sim_workers(void);

/* A new one for the calling host thread, or NULL when out of memory. */
struct worker *sim_create_worker(void);

/* A worker of the calling host thread for one launch, until it is given back; NULL when out of
 * memory. */
struct worker *sim_borrow_worker(void);
void sim_give_worker_back(struct worker *w);

/* The host thread goes on with this worker. Returns the one before; either may be NULL.
 * before_primary: cudaGridDependencySynchronize() waits. */
struct worker *sim_change_worker(struct worker *w, bool before_primary);

/* How many blocks are parked. */
uint64_t sim_parked_blocks(void);
