/* A kernel that may overlap the one before it in its stream: programmatic dependent launch.
 *
 * In a plain program such a launch begins before that kernel, the primary, does, on a worker of its
 * own: a block whose threads reach cudaGridDependencySynchronize() is parked, and goes on when the
 * primary has ended. A traced one runs after it; what each thread accesses before it has waited, or
 * met one that has, goes to a footprint of its own. */
#pragma once

#include "exec/thread.h"

/* Which footprint do the accesses of thread t, which runs next, go to? */
void sim_overlap_thread(const struct worker *w, unsigned t);

/* All threads of the block have met; the block has ended. */
void sim_overlap_join(struct worker *w);
void sim_overlap_end(const struct worker *w);

/* The running thread may have learnt by an atomic function or a fence that others have waited. */
void sim_overlap_learn(void);
