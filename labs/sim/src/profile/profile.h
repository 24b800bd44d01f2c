/* The counters of one launch, per site: a site is one access in the program. */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

#include "exec/thread.h"
#include "profile/access_cost.h"

/* Begins a launch: forgets all sites. Returns whether its counters are wanted. */
bool profile_begin(const struct sim_config *config);

/* Begins a block of it. Returns whether it is counted: CONVLABS_SIM_SAMPLE may ask for about so
 * many blocks of each launch (sample.h). */
bool profile_begin_block(const uint3 *block);

/* Counts one warp instruction of the block that `w` runs. Returns false when out of memory. */
bool profile_count(const struct worker *w, uint64_t code, const struct warp_access *access);

/* Appends one line of JSON for the launch to the file that CONVLABS_SIM_PROFILE names. `complete`:
 * nothing was lost for want of memory. */
void profile_write(const struct sim_config *config, bool complete);

#endif
