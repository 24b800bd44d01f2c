/* What the lanes of a warp do together: shuffles, votes, __syncwarp(). */
#pragma once

#include "exec/thread.h"

/* The round of warp `w->warp.number` is over. If operations are complete, gives their lanes the
 * results, lets them form the next round and returns true. */
bool sim_next_round(struct worker *w);

/* Runs the ready lanes of this warp until each waits or is done. */
void sim_begin_warp(struct worker *w, unsigned warp);

/* Runs this warp until each of its lanes is done, spins, waits at a barrier of the block, or waits
 * for a lane that cannot arrive; or until it has made so many volatile accesses that it is the turn
 * of others. */
void sim_settle_warp(struct worker *w, unsigned warp);
