#include "profile/worst_access.h"

#include "base/options.h"

static struct worst_access kept[MOST_WORST_SITES]; /* without lanes: none */

bool worst_access_on;

void worst_access_begin(void) {
    worst_access_on = sim_options.steps.costliest;
    for (unsigned i = 0; i < MOST_WORST_SITES; i++) {
        kept[i].cost = kept[i].access.active = 0;
    }
}

void worst_access_note(uint32_t site, unsigned cost, unsigned warp,
                       const struct warp_access *access) {
    if (site >= MOST_WORST_SITES) {
        return;
    }
    const int lanes = __builtin_popcount(access->active);
    struct worst_access *k = &kept[site];
    if (cost > k->cost || (cost == k->cost && lanes > __builtin_popcount(k->access.active))) {
        *k = (struct worst_access){cost, warp, blockIdx, *access};
    }
}

const struct worst_access *worst_access(uint32_t site) {
    return site < MOST_WORST_SITES && kept[site].access.active != 0 ? &kept[site] : NULL;
}
