/* The fetch functions that kernels call: tex1D(), tex2D() and the rest, at the texture's own level
 * of detail and at a chosen one. */
#include "texture/blend.h"
#include "texture/filter.h"

#include "texture/cube.h"
#include "texture/object_of.h"

#include <math.h>

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

/* A place of a texture, whatever the level. */
struct place {
    enum sim_shape shape;
    float at[3];
    int layer;
};

static bool is_cube(const struct place *p) {
    return p->shape == SIM_CUBE || p->shape == SIM_CUBE_LAYERED;
}

/* The slice of a level, or the layer of a cubemap. */
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

static struct texel nearest(const struct sim_texture *t, unsigned number, const struct place *p) {
    const struct texture_level *level = &t->levels[number];
    int slice = slice_of(level, p);
    return is_cube(p) ? cube_nearest(t, level, p->at, slice)
                      : filter_nearest(t, level, axes_of(p->shape), p->at, slice);
}

static void add(const struct sim_texture *t, unsigned number, const struct place *p,
                unsigned weight, struct parts *parts) {
    const struct texture_level *level = &t->levels[number];
    int slice = slice_of(level, p);
    if (is_cube(p)) {
        cube_add(t, level, p->at, slice, weight, parts);
    } else {
        filter_add(t, level, axes_of(p->shape), p->at, slice, weight, parts);
    }
}

/* The level of detail within the texture's limits; the lower one wins. */
static float within_limits(const struct sim_texture *t, float level) {
    level = level < t->most_level ? level : t->most_level;
    level = level > t->least_level ? level : t->least_level;
    float last = (float)(t->level_count - 1);
    return level > 0 ? level < last ? level : last : 0;
}

static struct texel at_detail(const struct sim_texture *t, float level, const struct place *p) {
    unsigned first = 0, weight = 0;
    if (t->level_count > 1) {
        float detail = within_limits(t, level);
        unsigned fixed = (unsigned)(detail * 256); /* 8 bits after the point, the rest cut off */
        first = t->mip_linear ? fixed >> 8 : (unsigned)floorf(detail + 0.5f);
        weight = t->mip_linear ? fixed & 255 : 0;
    }
    if (weight == 0 && !t->linear) {
        return nearest(t, first, p);
    }
    struct texel texel;
    const struct texture_level *chosen = &t->levels[first];
    if (weight == 0 && !is_cube(p) &&
        filter_middle(t, chosen, axes_of(p->shape), p->at, slice_of(chosen, p), &texel)) {
        return texel;
    }
    struct parts parts;
    parts.count = 0;
    add(t, first, p, 256 - weight, &parts);
    if (weight > 0) {
        add(t, first + 1, p, weight, &parts);
    }
    return blend(t, &parts);
}

/* What a program asks for, with the texture's bias. */
static float biased(const struct sim_texture *t, float level) {
    return (level == level ? level : 0) + t->bias;
}

struct sim_texel sim_tex(cudaTextureObject_t texture, enum sim_shape shape, float x, float y,
                         float z, int layer, const char *file, int line) {
    TEXEL_CALLER();
    struct place p = {shape, {x, y, z}, layer};
    return packed(at_detail(texture_object(texture, file, line), 0, &p));
}

struct sim_texel sim_tex_lod(cudaTextureObject_t texture, enum sim_shape shape, float x, float y,
                             float z, int layer, float level, const char *file, int line) {
    TEXEL_CALLER();
    struct place p = {shape, {x, y, z}, layer};
    const struct sim_texture *t = texture_object(texture, file, line);
    return packed(at_detail(t, biased(t, level), &p));
}

struct sim_texel sim_tex_grad(cudaTextureObject_t texture, enum sim_shape shape, float x, float y,
                              float z, int layer, float x0, float y0, float z0, float x1, float y1,
                              float z1, const char *file, int line) {
    TEXEL_CALLER();
    const struct sim_texture *t = texture_object(texture, file, line);
    const struct texture_level *l = &t->levels[0];
    unsigned axes = axes_of(shape);
    float w = t->normalised ? (float)l->width : 1, h = t->normalised ? (float)l->height : 1,
          d = t->normalised ? (float)l->depth : 1;
    h = axes > 1 ? h : 0;
    d = axes > 2 ? d : 0;
    float first = sqrtf(x0 * w * x0 * w + y0 * h * y0 * h + z0 * d * z0 * d);
    float second = sqrtf(x1 * w * x1 * w + y1 * h * y1 * h + z1 * d * z1 * d);
    float longest = first > second ? first : second;
    struct place p = {shape, {x, y, z}, layer};
    return packed(at_detail(t, biased(t, log2f(longest > 0 ? longest : 0)), &p));
}

struct sim_texel sim_tex1D(cudaTextureObject_t texture, float x, const char *file, int line) {
    TEXEL_CALLER();
    struct place p = {SIM_1D, {x, 0, 0}, 0};
    return packed(at_detail(texture_object(texture, file, line), 0, &p));
}

struct sim_texel sim_tex2D(cudaTextureObject_t texture, float x, float y, const char *file,
                           int line) {
    TEXEL_CALLER();
    struct place p = {SIM_2D, {x, y, 0}, 0};
    return packed(at_detail(texture_object(texture, file, line), 0, &p));
}

struct sim_texel sim_tex3D(cudaTextureObject_t texture, float x, float y, float z, const char *file,
                           int line) {
    TEXEL_CALLER();
    struct place p = {SIM_3D, {x, y, z}, 0};
    return packed(at_detail(texture_object(texture, file, line), 0, &p));
}

/* Linear memory: an index outside gives 0. */
struct sim_texel sim_tex1Dfetch(cudaTextureObject_t texture, int x, const char *file, int line) {
    TEXEL_CALLER();
    const struct sim_texture *t = texture_object(texture, file, line);
    if (x < 0 || x >= t->levels[0].width) {
        return (struct sim_texel){0, 0};
    }
    return packed(texel_read(t, &t->levels[0], x, 0, 0));
}

struct sim_texel sim_tex2Dgather(cudaTextureObject_t texture, float x, float y, int channel,
                                 const char *file, int line) {
    TEXEL_CALLER();
    const struct sim_texture *t = texture_object(texture, file, line);
    const struct texture_level *level = &t->levels[0];
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
