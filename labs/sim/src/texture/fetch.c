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

static struct texel at_level(const struct sim_texture *t, unsigned number, const struct place *p) {
    const struct texture_level *level = &t->levels[number];
    if (p->shape == SIM_CUBE || p->shape == SIM_CUBE_LAYERED) {
        int layer = p->shape == SIM_CUBE ? 0 : layer_within(p->layer, level->depth / 6);
        return cube_level(t, level, p->at, layer);
    }
    bool layered = p->shape == SIM_1D_LAYERED || p->shape == SIM_2D_LAYERED;
    int slice = layered ? layer_within(p->layer, level->depth) : 0;
    return filter_level(t, level, axes_of(p->shape), p->at, slice);
}

/* The level of detail that a fetch uses: biased, and within the texture's limits. */
static float clamped_level(const struct sim_texture *t, float level) {
    float biased = level + t->bias;
    biased = biased > t->least_level ? biased : t->least_level;
    biased = biased < t->most_level ? biased : t->most_level;
    float last = (float)(t->level_count - 1);
    return biased > 0 ? biased < last ? biased : last : 0;
}

static struct texel at_detail(const struct sim_texture *t, float level, const struct place *p) {
    if (t->level_count == 1) {
        return at_level(t, 0, p);
    }
    float detail = clamped_level(t, level);
    if (!t->mip_linear) {
        return at_level(t, (unsigned)floorf(detail + 0.5f), p);
    }
    unsigned fixed = (unsigned)floorf(detail * 256 + 0.5f), first = fixed >> 8,
             weight = fixed & 255;
    struct weighted levels[2] = {{at_level(t, first, p), 256 - weight}, {{{{0}}}, weight}};
    if (weight > 0) {
        levels[1].texel = at_level(t, first + 1, p);
    }
    return weight == 0 ? levels[0].texel : blend(t, levels, 2);
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
    return packed(at_detail(texture_object(texture, file, line), level, &p));
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
    struct place p = {shape, {x, y, z}, layer};
    return packed(at_detail(t, log2f(first > second ? first : second), &p));
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
