/* The sum of weighted elements, as a texture unit computes it. */
#pragma once

#include "texture/texel.h"

/* An element and its weight, from 0 to 256. */
struct weighted {
    struct texel texel;
    unsigned weight;
};

/* Up to two groups of four elements: two slices. */
struct parts {
    struct weighted groups[2][4];
    unsigned count; /* of the groups */
};

/* A float that has all of the weight: one that is not normal counts as 0. */
static inline union channel blend_alone(union channel c) {
    uint32_t magnitude = c.u & 0x7fffffffu;
    return (union channel){.u = magnitude > 0x7f800000u   ? 0x7fffffffu
                                : magnitude < 0x00800000u ? c.u & 0x80000000u
                                                          : c.u};
}

/* The sum of the elements; that of their weights is 256. */
struct texel blend(const struct sim_texture *t, const struct parts *parts);
