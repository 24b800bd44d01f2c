/* Which elements a fetch reads, and with which weights. */
#ifndef SIM_FILTER_H
#define SIM_FILTER_H

#include "texture/texel.h"

/* The element of a coordinate along `axis`, which has n elements; negative: the border. */
int filter_index(const struct sim_texture *t, int axis, float coordinate, int n);

/* The two elements that a linear filter uses. */
void filter_neighbours(const struct sim_texture *t, int axis, float coordinate, int n,
                       int neighbours[2]);

/* Fetches from one level: `axes` coordinates, and for less than three of them a slice. */
struct texel filter_level(const struct sim_texture *t, const struct texture_level *level,
                          unsigned axes, const float coordinates[3], int slice);

#endif
