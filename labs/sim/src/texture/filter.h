/* Which elements a fetch reads, and with which weights. */
#ifndef SIM_FILTER_H
#define SIM_FILTER_H

#include "texture/texel.h"

/* The two neighbours along an axis; the second has a weight of `weight`/256. A negative index is
 * the border. */
struct footprint {
    int first, second;
    unsigned weight;
};

/* The element of a coordinate along `axis`, which has n elements. */
int filter_index(const struct sim_texture *t, int axis, float coordinate, int n);
struct footprint filter_footprint(const struct sim_texture *t, int axis, float coordinate, int n);

/* Fetches from one level: `axes` coordinates, and for less than three of them a slice. */
struct texel filter_level(const struct sim_texture *t, const struct texture_level *level,
                          unsigned axes, const float coordinates[3], int slice);

#endif
