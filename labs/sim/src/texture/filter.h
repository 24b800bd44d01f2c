/* Which elements a fetch reads, and with which weights. */
#pragma once

#include "texture/blend.h"

/* Where a linear filter is, in 1/256 of an element from the middle of the first one. */
int64_t filter_position(const struct sim_texture *t, float coordinate, int n);

/* The weights of the four elements of a slice: bit 0 of the index is x, bit 1 is y. The slice's
 * weight is split along x, then along y; x and y are those of the second column and row, of 256. */
void filter_weigh(unsigned weight, unsigned x, unsigned y, struct weighted w[4]);

/* The two elements that a linear filter uses. */
void filter_neighbours(const struct sim_texture *t, int axis, float coordinate, int n,
                       int neighbours[2]);

/* The nearest element: `axes` coordinates, and for less than three of them a slice. */
struct texel filter_nearest(const struct sim_texture *t, const struct texture_level *level,
                            unsigned axes, const float coordinates[3], int slice);

/* The same for a linear filter at the middle of an element of 32 bits, which then has all of the
 * weight. False anywhere else. */
bool filter_middle(const struct sim_texture *t, const struct texture_level *level, unsigned axes,
                   const float coordinates[3], int slice, struct texel *result);

/* Adds the elements that a linear filter uses. */
void filter_add(const struct sim_texture *t, const struct texture_level *level, unsigned axes,
                const float coordinates[3], int slice, struct parts *parts);
