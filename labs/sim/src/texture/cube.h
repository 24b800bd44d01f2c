/* Cubemaps: six faces, which a direction selects. */
#ifndef SIM_CUBE_H
#define SIM_CUBE_H

#include "texture/filter.h"

struct texel cube_level(const struct sim_texture *t, const struct texture_level *level,
                        const float direction[3], int layer);

#endif
