/* What the lanes of a warp do together: shuffles, votes, __syncwarp(). */
#ifndef SIM_WARP_OPERATIONS_H
#define SIM_WARP_OPERATIONS_H

#include "exec/thread.h"

/* Runs the warp that begins with thread `first` until each of its lanes is done, at the block's
 * barrier, or waits for what never comes. */
void sim_settle_warp(struct worker *w, unsigned first);

#endif
