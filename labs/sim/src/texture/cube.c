#include "texture/cube.h"

#include <math.h>

/* A place on a face: its number (+x, -x, +y, -y, +z, -z), and coordinates from 0 to 1. */
struct on_face {
    int face;
    float s, t;
};

/* A component that is no number counts as 0; so do all if the largest has no reciprocal. */
static struct on_face project(const float direction[3]) {
    float d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = direction[i] == direction[i] ? direction[i] : 0;
    }
    float x = fabsf(d[0]), y = fabsf(d[1]), z = fabsf(d[2]), largest = fmaxf(x, fmaxf(y, z));
    if (largest == 0 || largest > 0x1p126f) {
        return (struct on_face){4, 0.5f, 0.5f};
    }
    struct on_face p;
    float major, s, t;
    if (z >= x && z >= y) {
        p.face = signbit(d[2]) ? 5 : 4;
        major = z;
        s = signbit(d[2]) ? -d[0] : d[0];
        t = -d[1];
    } else if (y >= x) {
        p.face = signbit(d[1]) ? 3 : 2;
        major = y;
        s = d[0];
        t = signbit(d[1]) ? -d[2] : d[2];
    } else {
        p.face = signbit(d[0]) ? 1 : 0;
        major = x;
        s = signbit(d[0]) ? d[2] : -d[2];
        t = -d[1];
    }
    p.s = (s / major + 1) / 2;
    p.t = (t / major + 1) / 2;
    return p;
}

/* The direction of a place on a face; s and t, from -1 to 1, may lie a little outside. */
static void direction_of(int face, float s, float t, float d[3]) {
    const float directions[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                                    {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};
    for (int i = 0; i < 3; i++) {
        d[i] = directions[face][i];
    }
}

static int index_within(float coordinate, int n) {
    int i = (int)(coordinate * (float)n);
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* The element in column i and row j of a face, of which one may be just outside: it then lies on
 * the next face. */
static struct texel texel_at(const struct sim_texture *t, const struct texture_level *level,
                             int layer, int face, int i, int j) {
    int n = level->width;
    if (i < 0 || i >= n || j < 0 || j >= n) {
        float d[3];
        direction_of(face, (float)(2 * i + 1) / (float)n - 1, (float)(2 * j + 1) / (float)n - 1, d);
        struct on_face p = project(d);
        face = p.face;
        i = index_within(p.s, n);
        j = index_within(p.t, n);
    }
    return texel_read(t, level, i, j, layer * 6 + face);
}

/* Where three faces meet, there is no fourth element: the three share its weight. */
static void share_corner(struct weighted w[4], unsigned corner) {
    unsigned share = w[corner].weight / 3;
    w[corner ^ 1].weight += share;
    w[corner ^ 2].weight += share;
    w[corner ^ 3].weight += w[corner].weight - 2 * share;
    w[corner].weight = 0;
}

static void add_seamless(const struct sim_texture *t, const struct texture_level *level,
                         struct on_face p, int layer, struct parts *parts) {
    int n = level->width;
    int64_t x = filter_position(t, p.s, n), y = filter_position(t, p.t, n);
    int i = (int)(x >> 8), j = (int)(y >> 8);
    struct weighted *w = parts->groups[parts->count++];
    filter_weigh(256, x & 255, y & 255, w);
    for (unsigned k = 0; k < 4; k++) {
        int column = i + (int)(k & 1), row = j + (int)(k >> 1);
        if ((column < 0 || column >= n) && (row < 0 || row >= n)) {
            share_corner(w, k);
        }
    }
    for (unsigned k = 0; k < 4; k++) {
        if (w[k].weight > 0) {
            w[k].texel = texel_at(t, level, layer, p.face, i + (int)(k & 1), j + (int)(k >> 1));
        }
    }
}

struct texel cube_nearest(const struct sim_texture *t, const struct texture_level *level,
                          const float direction[3], int layer) {
    struct on_face p = project(direction);
    if (t->seamless) {
        return texel_at(t, level, layer, p.face, index_within(p.s, level->width),
                        index_within(p.t, level->width));
    }
    const float at[3] = {p.s, p.t, 0};
    return filter_nearest(t, level, 2, at, layer * 6 + p.face);
}

void cube_add(const struct sim_texture *t, const struct texture_level *level,
              const float direction[3], int layer, struct parts *parts) {
    struct on_face p = project(direction);
    if (t->seamless) {
        add_seamless(t, level, p, layer, parts);
        return;
    }
    const float at[3] = {p.s, p.t, 0};
    filter_add(t, level, 2, at, layer * 6 + p.face, parts);
}
