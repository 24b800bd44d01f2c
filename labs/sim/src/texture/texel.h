/* Elements as a texture unit reads them, and where it finds them. */
#pragma once

#include "exec/hooks.h"
#include "texture/texture.h"

#include <string.h>

/* Four channels; those that an element has not are 0. */
struct texel {
    union channel c[4];
};

/* Notes the line of the kernel for trace/: call it first in every function that a kernel calls. */
#define TEXEL_CALLER() (sim_hooks ? texel_caller(__builtin_return_address(0)) : (void)0)
void texel_caller(const void *pc);

/* Reports an access of `bytes` bytes by the running thread, in a traced program. */
void texel_access(const void *address, size_t bytes, bool store);

/* The element at column x, row y and slice z; a negative index: the border's colour. */
struct texel texel_read_any(const struct sim_texture *t, const struct texture_level *level, int x,
                            int y, int z);
static inline struct texel texel_read(const struct sim_texture *t,
                                      const struct texture_level *level, int x, int y, int z) {
    if ((x | y | z) < 0 || sim_hooks || t->format != TEXEL_32 || t->channels != 1) {
        return texel_read_any(t, level, x, y, z);
    }
    /* One float, most often: nothing is converted. */
    struct texel texel = {{{0}}};
    memcpy(texel.c,
           level->texels + (size_t)z * level->slice + (size_t)y * level->pitch + (size_t)x * 4, 4);
    return texel;
}

/* One channel of the element at `at`. */
union channel texel_channel(enum texel_format format, const char *at);

/* The border's colour as elements of this format give it. */
void texel_border(struct sim_texture *t, const float color[4]);

/* Converts a half-precision number. */
float texel_half(uint16_t bits);
