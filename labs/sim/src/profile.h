/* The counters of one launch, per site: a site is one access in the program. */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

#include "block.h"
#include "counters.h"

/* Forgets all sites. */
void profile_begin(void);

/* Counts one warp instruction of the block that `w` runs. */
void profile_count(const struct worker *w, uint64_t code, const struct warp_access *access);

/* Appends one line of JSON for the launch to the file that CONVLABS_SIM_PROFILE names. `complete`:
 * nothing was lost for want of memory. */
void profile_write(const struct sim_config *config, bool complete);

#endif
