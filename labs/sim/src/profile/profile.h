/* profile/: the counters of a traced program, as Nsight Compute would give them.
 *
 * This header: the counters of one launch for each site, which is one memory access in the
 * program. */
#pragma once

#include "exec/thread.h"
#include "profile/access_cost.h"

/* Begins a launch: forgets all sites. Returns whether CONVLABS_SIM_PROFILE asks for its
 * counters. */
bool profile_begin(const struct sim_config *config);

/* Begins a block of the launch. Returns whether it is counted: CONVLABS_SIM_SAMPLE may limit the
 * number of blocks that are (block_sample.h). */
bool profile_begin_block(const uint3 *block);

/* Is it one of the blocks that are counted? */
bool profile_counts_block(const uint3 *block);

/* The block has ended. */
void profile_end_block(void);

/* The warp whose lanes have all run passed what passes.h counts. */
void profile_end_warp(void);

/* Counts one warp instruction of the block that `w` runs. Returns false when out of memory. */
bool profile_count(const struct worker *w, uint64_t code, const struct warp_access *access);

/* Appends one line of JSON for the launch to the file of CONVLABS_SIM_PROFILE. `complete`: no event
 * was lost for lack of memory. */
void profile_write(const struct sim_config *config, bool complete);
