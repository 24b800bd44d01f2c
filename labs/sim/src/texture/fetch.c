/* The fetch functions that kernels call: tex1D(), tex2D() and the rest. */
#include "texture/blend.h"
#include "texture/filter.h"

#include "texture/cube.h"
#include "texture/object_of.h"

static struct sim_texel packed(struct texel texel) {
    return (struct sim_texel){texel.c[0].u | (uint64_t)texel.c[1].u << 32,
                              texel.c[2].u | (uint64_t)texel.c[3].u << 32};
}

static unsigned axes_of(enum sim_shape shape) {
    return shape == SIM_1D || shape == SIM_1D_LAYERED ? 1 : shape == SIM_3D ? 3 : 2;
}

/* A negative layer is as one that is too large. */
static int layer_within(int layer, int layers) {
    return (unsigned)layer < (unsigned)layers ? layer : layers - 1;
}

/* A place of a texture. */
struct place {
    enum sim_shape shape;
    float at[3];
    int layer;
};

static bool is_cube(const struct place *p) {
    return p->shape == SIM_CUBE || p->shape == SIM_CUBE_LAYERED;
}

/* The slice, or the layer of a cubemap. */
static int slice_of(const struct texture_level *level, const struct place *p) {
    switch (p->shape) {
    case SIM_1D_LAYERED:
    case SIM_2D_LAYERED:
        return layer_within(p->layer, level->depth);
    case SIM_CUBE_LAYERED:
        return layer_within(p->layer, level->depth / 6);
    default:
        return 0;
    }
}

static struct texel nearest(const struct sim_texture *t, const struct place *p) {
    const struct texture_level *level = &t->level;
    int slice = slice_of(level, p);
    return is_cube(p) ? cube_nearest(t, level, p->at, slice)
                      : filter_nearest(t, level, axes_of(p->shape), p->at, slice);
}

static void add(const struct sim_texture *t, const struct place *p, struct parts *parts) {
    const struct texture_level *level = &t->level;
    int slice = slice_of(level, p);
    if (is_cube(p)) {
        cube_add(t, level, p->at, slice, parts);
    } else {
        filter_add(t, level, axes_of(p->shape), p->at, slice, parts);
    }
}

static struct texel fetch(const struct sim_texture *t, const struct place *p) {
    if (!t->linear) {
        return nearest(t, p);
    }
    struct texel texel;
    if (!is_cube(p) &&
        filter_middle(t, &t->level, axes_of(p->shape), p->at, slice_of(&t->level, p), &texel)) {
        return texel;
    }
    struct parts parts;
    parts.count = 0;
    add(t, p, &parts);
    return blend(t, &parts);
}

struct sim_texel sim_tex(cudaTextureObject_t texture, enum sim_shape shape, float x, float y,
                         float z, int layer, const char *file, int line) {
    TEXEL_CALLER();
    struct place p = {shape, {x, y, z}, layer};
    return packed(fetch(texture_object(texture, file, line), &p));
}

struct sim_texel sim_tex1D(cudaTextureObject_t texture, float x, const char *file, int line) {
    TEXEL_CALLER();
    struct place p = {SIM_1D, {x, 0, 0}, 0};
    return packed(fetch(texture_object(texture, file, line), &p));
}

struct sim_texel sim_tex2D(cudaTextureObject_t texture, float x, float y, const char *file,
                           int line) {
    TEXEL_CALLER();
    struct place p = {SIM_2D, {x, y, 0}, 0};
    return packed(fetch(texture_object(texture, file, line), &p));
}

struct sim_texel sim_tex3D(cudaTextureObject_t texture, float x, float y, float z, const char *file,
                           int line) {
    TEXEL_CALLER();
    struct place p = {SIM_3D, {x, y, z}, 0};
    return packed(fetch(texture_object(texture, file, line), &p));
}

/* Linear memory: an index outside gives 0. */
struct sim_texel sim_tex1Dfetch(cudaTextureObject_t texture, int x, const char *file, int line) {
    TEXEL_CALLER();
    const struct sim_texture *t = texture_object(texture, file, line);
    if (x < 0 || x >= t->level.width) {
        return (struct sim_texel){0, 0};
    }
    return packed(texel_read(t, &t->level, x, 0, 0));
}

struct sim_texel sim_tex2Dgather(cudaTextureObject_t texture, float x, float y, int channel,
                                 const char *file, int line) {
    TEXEL_CALLER();
    const struct sim_texture *t = texture_object(texture, file, line);
    const struct texture_level *level = &t->level;
    int h[2], v[2];
    filter_neighbours(t, 0, x, level->width, h);
    filter_neighbours(t, 1, y, level->height, v);
    unsigned c = (unsigned)channel & 3;
    struct texel result = {
        {texel_read(t, level, h[0], v[1], 0).c[c], texel_read(t, level, h[1], v[1], 0).c[c],
         texel_read(t, level, h[1], v[0], 0).c[c], texel_read(t, level, h[0], v[0], 0).c[c]}};
    return packed(result);
}

unsigned long long sim_reference_object(const void *reference) {
    return *(const unsigned long long *)reference;
}
