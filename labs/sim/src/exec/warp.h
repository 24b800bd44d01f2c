/* What the lanes of a warp do together: shuffles, votes, __syncwarp(). */
#ifndef SIM_WARP_OPERATIONS_H
#define SIM_WARP_OPERATIONS_H

#include "exec/thread.h"

/* Runs the warp that begins with thread `first` until each of its lanes is done, waits at a barrier
 * of the block, or waits for a lane that cannot arrive. */
void sim_settle_warp(struct worker *w, unsigned first);

#endif
