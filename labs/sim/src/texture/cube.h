/* Cubemaps: six faces, which a direction selects. */
#ifndef SIM_CUBE_H
#define SIM_CUBE_H

#include "texture/filter.h"

/* The same as filter_nearest() and filter_add(), for a direction and a layer. */
struct texel cube_nearest(const struct sim_texture *t, const struct texture_level *level,
                          const float direction[3], int layer);
void cube_add(const struct sim_texture *t, const struct texture_level *level,
              const float direction[3], int layer, unsigned weight, struct parts *parts);

#endif
