/* The costliest warp instruction of each site of a launch: it shows how the site uses memory. Kept
 * only if CONVLABS_SIM_WARPS names a file. */
#pragma once

#include "profile/access_cost.h"

/* Are they kept? Set by worst_access_begin(). */
extern bool worst_access_on;

/* Begins a launch: forgets all. Call it before the other functions. */
void worst_access_begin(void);

/* If they are kept: notes one instruction of site number `site` of the launch, which took `cost`
 * sectors or wavefronts. */
void worst_access_note(uint32_t site, unsigned cost, const struct warp_access *access);

/* Appends the instruction kept of `site`, if any, to the file as one line of JSON. The offsets, one
 * for each active lane, count from the start of the cache line (128 bytes) of the lowest
 * address. */
void worst_access_write(uint32_t site, unsigned launch, uint64_t code, const char *space);
