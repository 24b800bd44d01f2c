/* Measured on an H200: a coordinate from 0 to 1 is cut off after 21 bits; for a linear filter, the
 * position in elements is rounded to 1/256. */
#include "texture/filter.h"

#include "texture/blend.h"

#include <math.h>
#include <string.h>

/* The two neighbours along an axis; the second has a weight of `weight`/256. A negative index is
 * the border. */
struct footprint {
    int first, second;
    unsigned weight;
};

/* floor(), which is a call where the compiler may use SSE2 alone. For |x| < 2^62. */
static int64_t floor_of(double x) {
    int64_t i = (int64_t)x;
    return i - (x < (double)i);
}

/* The index of element i, which lies outside. */
static int addressed_outside(enum cudaTextureAddressMode mode, int64_t i, int n) {
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

/* The index of element i, which may lie outside. */
static inline int addressed(enum cudaTextureAddressMode mode, int64_t i, int n) {
    return i >= 0 && i < n ? (int)i : addressed_outside(mode, i, n);
}

/* In elements, and small enough for an int64_t in units of 1/256. */
static inline double position(const struct sim_texture *t, float coordinate, int n) {
    /* Not a number, and what is too small for a normal float, count as 0. */
    double x = fabsf(coordinate) >= 0x1p-126f ? (double)coordinate : 0;
    if (t->normalised) {
        x = x > -0x1p40 && x < 0x1p40 ? (double)floor_of(x * 0x1p21) * 0x1p-21 : x;
        x *= n;
    }
    const double most = 0x1p40;
    return x > -most ? x < most ? x : most : -most;
}

static inline int nearest_index(const struct sim_texture *t, int axis, float coordinate, int n) {
    return addressed(t->address[axis], floor_of(position(t, coordinate, n)), n);
}

static inline int64_t fixed_position(const struct sim_texture *t, float coordinate, int n) {
    return floor_of(position(t, coordinate, n) * 256 - 128 + 0.5);
}

int64_t filter_position(const struct sim_texture *t, float coordinate, int n) {
    return fixed_position(t, coordinate, n);
}

void filter_neighbours(const struct sim_texture *t, int axis, float coordinate, int n,
                       int neighbours[2]) {
    int64_t first = filter_position(t, coordinate, n) >> 8;
    neighbours[0] = addressed(t->address[axis], first, n);
    neighbours[1] = addressed(t->address[axis], first + 1, n);
}

/* The position is clamped before it is split: at the border there is one neighbour. */
static inline int64_t clamped_position(const struct sim_texture *t, int axis, float coordinate,
                                       int n) {
    int64_t fixed = fixed_position(t, coordinate, n);
    if (t->address[axis] == cudaAddressModeClamp) {
        int64_t last = (int64_t)(n - 1) * 256;
        fixed = fixed < 0 ? 0 : fixed < last ? fixed : last;
    }
    return fixed;
}

static struct footprint footprint(const struct sim_texture *t, int axis, float coordinate, int n) {
    int64_t fixed = clamped_position(t, axis, coordinate, n);
    int64_t first = fixed >> 8;
    return (struct footprint){addressed(t->address[axis], first, n),
                              addressed(t->address[axis], first + 1, n), (unsigned)(fixed & 255)};
}

/* Splits a weight in two: the second gets `part`/256 of it, rounded to nearest; halves go to the
 * second if `up`. */
static void split(unsigned weight, unsigned part, bool up, unsigned *first, unsigned *second) {
    *second = (weight * part + (up ? 128 : 127)) / 256;
    *first = weight - *second;
}

/* The weights of the four elements of a slice: bit 0 of the index is x, bit 1 is y. The slice's
 * weight is split along x, then along y. */
void filter_weigh(unsigned weight, unsigned x, unsigned y, struct weighted w[4]) {
    unsigned left, right;
    split(weight, x, true, &left, &right);
    split(left, y, false, &w[0].weight, &w[2].weight);
    split(right, y, true, &w[1].weight, &w[3].weight);
}

/* A line is a plane of one row, fetched at y = 0: half of it is border if addressMode[1] says so.
 */
static bool has_border_below(const struct sim_texture *t) {
    return t->address[1] == cudaAddressModeBorder &&
           !(t->array_flags & (cudaArrayLayered | cudaArrayCubemap));
}

/* Adds the four elements of a slice. */
static void add_slice(const struct sim_texture *t, const struct texture_level *level,
                      struct footprint x, struct footprint y, int z, unsigned weight,
                      struct parts *parts) {
    struct weighted *w = parts->groups[parts->count++];
    filter_weigh(weight, x.weight, y.weight, w);
    for (unsigned k = 0; k < 4; k++) {
        if (w[k].weight > 0) { /* blend() reads no other */
            w[k].texel =
                texel_read(t, level, k & 1 ? x.second : x.first, k & 2 ? y.second : y.first, z);
        }
    }
}

void filter_add(const struct sim_texture *t, const struct texture_level *level, unsigned axes,
                const float coordinates[3], int slice, struct parts *parts) {
    struct footprint x = footprint(t, 0, coordinates[0], level->width), y = {0, 0, 0};
    if (axes == 1 && has_border_below(t)) {
        y = footprint(t, 1, 0, 1);
    } else if (axes > 1) {
        y = footprint(t, 1, coordinates[1], level->height);
    }
    if (axes < 3) {
        add_slice(t, level, x, y, slice, 256, parts);
        return;
    }
    struct footprint z = footprint(t, 2, coordinates[2], level->depth);
    unsigned front, back;
    split(256, z.weight, true, &front, &back);
    add_slice(t, level, x, y, z.first, front, parts);
    add_slice(t, level, x, y, z.second, back, parts);
}

struct texel filter_nearest(const struct sim_texture *t, const struct texture_level *level,
                            unsigned axes, const float coordinates[3], int slice) {
    int x = nearest_index(t, 0, coordinates[0], level->width);
    int y = axes > 1 ? nearest_index(t, 1, coordinates[1], level->height) : 0;
    int z = axes > 2 ? nearest_index(t, 2, coordinates[2], level->depth) : slice;
    return texel_read(t, level, x, y, z);
}

bool filter_middle(const struct sim_texture *t, const struct texture_level *level, unsigned axes,
                   const float coordinates[3], int slice, struct texel *result) {
    const int sizes[3] = {level->width, level->height, level->depth};
    int at[3] = {0, 0, slice};
    if (t->format != TEXEL_32 || (axes == 1 && has_border_below(t))) {
        return false;
    }
    for (unsigned i = 0; i < axes; i++) {
        int64_t fixed = clamped_position(t, (int)i, coordinates[i], sizes[i]);
        if (fixed & 255) {
            return false;
        }
        at[i] = addressed(t->address[i], fixed >> 8, sizes[i]);
    }
    *result = texel_read(t, level, at[0], at[1], at[2]);
    for (unsigned i = 0; i < t->channels; i++) {
        result->c[i] = blend_alone(result->c[i]);
    }
    return true;
}
