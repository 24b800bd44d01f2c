/* Cubemaps: six faces, which a direction selects. */
#pragma once

#include "texture/filter.h"

/* The same as filter_nearest() and filter_add(), for a direction and a layer. */
struct texel cube_nearest(const struct sim_texture *t, const struct texture_level *level,
                          const float direction[3], int layer);
void cube_add(const struct sim_texture *t, const struct texture_level *level,
              const float direction[3], int layer, struct parts *parts);
