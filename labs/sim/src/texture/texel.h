/* Elements as a texture unit reads them, and where it finds them. */
#ifndef SIM_TEXEL_H
#define SIM_TEXEL_H

#include "texture/texture.h"

/* Four channels; those that an element has not are 0. */
struct texel {
    union channel c[4];
};

/* Notes the line of the kernel for the checks: call it first in every function that a kernel calls.
 */
#define TEXEL_CALLER() texel_caller(__builtin_return_address(0))
void texel_caller(const void *pc);

/* The checks look at an access of `bytes` bytes by the running thread. */
void texel_check(const void *address, size_t bytes, bool store);

/* The element at column x, row y and slice z; a negative index: the border's colour. */
struct texel texel_read(const struct sim_texture *t, const struct texture_level *level, int x,
                        int y, int z);

/* One channel of the element at `at`. */
union channel texel_channel(enum texel_format format, const char *at);

/* The border's colour as elements of this format give it. */
void texel_border(struct sim_texture *t, const float color[4]);

/* Converts a half-precision number. */
float texel_half(uint16_t bits);

#endif
