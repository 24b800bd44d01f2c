/* Which elements a fetch reads, and with which weights. */
#ifndef SIM_FILTER_H
#define SIM_FILTER_H

#include "texture/blend.h"

/* The element of a coordinate along `axis`, which has n elements; negative: the border. */
int filter_index(const struct sim_texture *t, int axis, float coordinate, int n);

/* The two elements that a linear filter uses. */
void filter_neighbours(const struct sim_texture *t, int axis, float coordinate, int n,
                       int neighbours[2]);

/* The nearest element of a level: `axes` coordinates, and for less than three of them a slice. */
struct texel filter_nearest(const struct sim_texture *t, const struct texture_level *level,
                            unsigned axes, const float coordinates[3], int slice);

/* Adds the elements that the texture's filter uses, which share `weight`. */
void filter_add(const struct sim_texture *t, const struct texture_level *level, unsigned axes,
                const float coordinates[3], int slice, unsigned weight, struct parts *parts);

#endif
