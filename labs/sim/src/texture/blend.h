/* The sum of weighted elements, as a texture unit computes it. */
#ifndef SIM_BLEND_H
#define SIM_BLEND_H

#include "texture/texel.h"

/* An element and its weight, from 0 to 256. */
struct weighted {
    struct texel texel;
    unsigned weight;
};

/* Up to four groups of four elements: two slices of two levels. */
struct parts {
    struct weighted groups[4][4];
    unsigned count; /* of the groups */
};

/* The sum of the elements; that of their weights is 256. */
struct texel blend(const struct sim_texture *t, const struct parts *parts);

#endif
