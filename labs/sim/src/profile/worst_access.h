/* The costliest warp instruction of each site of a launch: a picture of how it uses memory. Kept
 * only where CONVLABS_SIM_WARPS names a file for them. */
#ifndef SIM_WARPS_H
#define SIM_WARPS_H

#include "profile/access_cost.h"

/* Someone wants them. Of the launch that worst_access_begin() began. */
extern bool worst_access_on;

/* Begins a launch: forgets all. Call before anything else here. */
void worst_access_begin(void);

/* To be called where they are wanted: one instruction of site number `site` of the launch, which
 * took `cost` sectors or wavefronts. */
void worst_access_note(uint32_t site, unsigned cost, const struct warp_access *access);

/* Appends one line of JSON for the instruction kept of `site` to the file, if there is one. Its
 * offsets, one for each active lane, count from a multiple of 128 bytes below all of them. */
void worst_access_write(uint32_t site, unsigned launch, uint64_t code, const char *space);

#endif
