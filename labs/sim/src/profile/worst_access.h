/* The costliest warp instruction of each site of a launch: it shows how the site uses memory. Kept
 * only if CONVLABS_SIM_STEPS asks for them: trace/steps.h. */
#pragma once

#include "exec/thread.h"
#include "profile/access_cost.h"

enum { MOST_WORST_SITES = 64 };

/* cost: sectors, wavefronts or words. */
struct worst_access {
    unsigned cost, warp;
    uint3 block;
    struct warp_access access;
};

/* Are they kept? Set by worst_access_begin(). */
extern bool worst_access_on;

/* Begins a launch: forgets all. Call it before the other functions. */
void worst_access_begin(void);

/* If they are kept: notes one instruction of site number `site` of the launch, by warp `warp` of
 * the running block. */
void worst_access_note(uint32_t site, unsigned cost, unsigned warp,
                       const struct warp_access *access);

/* What is kept of a site, or NULL. */
const struct worst_access *worst_access(uint32_t site);
