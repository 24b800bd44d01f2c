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

struct texel cube_nearest(const struct sim_texture *t, const struct texture_level *level,
                          const float direction[3], int layer) {
    struct on_face p = project(direction);
    const float at[3] = {p.s, p.t, 0};
    return filter_nearest(t, level, 2, at, layer * 6 + p.face);
}

void cube_add(const struct sim_texture *t, const struct texture_level *level,
              const float direction[3], int layer, unsigned weight, struct parts *parts) {
    struct on_face p = project(direction);
    const float at[3] = {p.s, p.t, 0};
    filter_add(t, level, 2, at, layer * 6 + p.face, weight, parts);
}
