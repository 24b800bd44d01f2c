/* The sum of weighted elements, as a texture unit computes it. */
#ifndef SIM_BLEND_H
#define SIM_BLEND_H

#include "texture/texel.h"

enum { BLEND_MOST = 8 };

/* An element and its weight, from 0 to 256. */
struct weighted {
    struct texel texel;
    unsigned weight;
};

/* The sum of `count` elements (1, 2, 4, or 8: two halves that differ along z), whose weights have
 * the sum 256. */
struct texel blend(const struct sim_texture *t, const struct weighted *parts, unsigned count);

#endif
