/* A linear filter's weights have 8 bits after the point: the texture unit rounds the coordinate to
 * 1/256 of an element. */
#include "texture/filter.h"

#include <math.h>
#include <string.h>

/* The index of element i, which may lie outside. */
static int addressed(enum cudaTextureAddressMode mode, int64_t i, int n) {
    if (i >= 0 && i < n) {
        return (int)i;
    }
    switch (mode) {
    case cudaAddressModeClamp:
        return i < 0 ? 0 : n - 1;
    case cudaAddressModeBorder:
        return -1;
    case cudaAddressModeWrap:
        i %= n;
        return (int)(i < 0 ? i + n : i);
    default: /* mirror */
        i %= 2 * (int64_t)n;
        i = i < 0 ? i + 2 * (int64_t)n : i;
        return (int)(i < n ? i : 2 * (int64_t)n - 1 - i);
    }
}

/* In elements, and small enough for an int64_t in units of 1/256. */
static double position(const struct sim_texture *t, float coordinate, int n) {
    double x = t->normalised ? (double)(coordinate * (float)n) : (double)coordinate;
    const double most = 0x1p40;
    return x > -most ? x < most ? x : most : -most; /* -most: also for NaN */
}

int filter_index(const struct sim_texture *t, int axis, float coordinate, int n) {
    return addressed(t->address[axis], (int64_t)floor(position(t, coordinate, n)), n);
}

struct footprint filter_footprint(const struct sim_texture *t, int axis, float coordinate, int n) {
    int64_t fixed = (int64_t)floor(position(t, coordinate, n) * 256 - 128 + 0.5);
    int64_t first = fixed >> 8;
    return (struct footprint){addressed(t->address[axis], first, n),
                              addressed(t->address[axis], first + 1, n), (unsigned)(fixed & 255)};
}

/* The sum of 2, 4 or 8 elements with weights of at most 1 << 24. */
struct texel filter_between(struct texel a, struct texel b, unsigned weight) {
    struct texel result;
    for (int i = 0; i < 4; i++) {
        result.c[i].f =
            (float)((256 - weight) * (double)a.c[i].f / 256 + weight * (double)b.c[i].f / 256);
    }
    return result;
}

static struct texel linear(const struct sim_texture *t, const struct texture_level *level,
                           unsigned axes, const float coordinates[3], int slice) {
    struct footprint x = filter_footprint(t, 0, coordinates[0], level->width);
    struct footprint y = {0, 0, 0}, z = {slice, slice, 0};
    if (axes > 1) {
        y = filter_footprint(t, 1, coordinates[1], level->height);
    }
    if (axes > 2) {
        z = filter_footprint(t, 2, coordinates[2], level->depth);
    }
    double sum[4] = {0};
    for (unsigned corner = 0; corner < 1u << axes; corner++) {
        bool right = corner & 1, below = corner & 2, behind = corner & 4;
        double weight = (right ? x.weight : 256 - x.weight) / 256.0;
        weight *= axes > 1 ? (below ? y.weight : 256 - y.weight) / 256.0 : 1;
        weight *= axes > 2 ? (behind ? z.weight : 256 - z.weight) / 256.0 : 1;
        if (weight == 0) {
            continue;
        }
        struct texel texel = texel_read(t, level, right ? x.second : x.first,
                                        below ? y.second : y.first, behind ? z.second : z.first);
        for (unsigned i = 0; i < t->channels; i++) {
            sum[i] += weight * (double)texel.c[i].f;
        }
    }
    struct texel result = {{{0}}};
    for (unsigned i = 0; i < t->channels; i++) {
        result.c[i].f = (float)sum[i];
    }
    return result;
}

struct texel filter_level(const struct sim_texture *t, const struct texture_level *level,
                          unsigned axes, const float coordinates[3], int slice) {
    if (t->linear) {
        return linear(t, level, axes, coordinates, slice);
    }
    int x = filter_index(t, 0, coordinates[0], level->width);
    int y = axes > 1 ? filter_index(t, 1, coordinates[1], level->height) : 0;
    int z = axes > 2 ? filter_index(t, 2, coordinates[2], level->depth) : slice;
    return texel_read(t, level, x, y, z);
}
