#include "texture/texel.h"

#include "texture/srgb.h"

#include <math.h>

static _Thread_local const void *caller;

void texel_caller(const void *pc) {
    caller = pc;
}

void texel_access(const void *address, size_t bytes, bool store) {
    if (sim_hooks) {
        sim_hooks->accessed(address, bytes, store, caller);
    }
}

float texel_half(uint16_t bits) {
    unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    union channel result;
    if (exponent == 31) {
        result.u = 0x7f800000u | fraction << 13;
    } else if (exponent > 0) {
        result.u = (exponent + 112) << 23 | fraction << 13;
    } else {
        result.f = (float)fraction * 0x1p-24f;
    }
    result.u |= (uint32_t)(bits & 0x8000) << 16;
    return result.f;
}

union channel texel_channel(enum texel_format format, const char *at) {
    int8_t s8;
    uint8_t u8;
    int16_t s16;
    uint16_t u16;
    memcpy(&s8, at, 1);
    memcpy(&u8, at, 1);
    switch (format) {
    case TEXEL_SIGNED_8:
        return (union channel){.u = (uint32_t)s8};
    case TEXEL_UNSIGNED_8:
        return (union channel){.u = u8};
    case TEXEL_SNORM_8:
        return (union channel){.f = s8 == -128 ? -1.0f : (float)s8 / 127.0f};
    case TEXEL_UNORM_8:
        return (union channel){.f = (float)u8 / 255.0f};
    case TEXEL_SRGB:
        return (union channel){.u = (uint32_t)srgb_linear[u8] << 16};
    case TEXEL_32: {
        union channel whole;
        memcpy(&whole, at, sizeof whole);
        return whole;
    }
    default:
        break;
    }
    memcpy(&s16, at, 2);
    memcpy(&u16, at, 2);
    switch (format) {
    case TEXEL_SIGNED_16:
        return (union channel){.u = (uint32_t)s16};
    case TEXEL_UNSIGNED_16:
        return (union channel){.u = u16};
    case TEXEL_HALF:
        return (union channel){.f = texel_half(u16)};
    case TEXEL_SNORM_16:
        return (union channel){.f = s16 == -32768 ? -1.0f : (float)s16 / 32767.0f};
    default:
        return (union channel){.f = (float)u16 / 65535.0f};
    }
}

struct texel texel_read_any(const struct sim_texture *t, const struct texture_level *level, int x,
                            int y, int z) {
    struct texel texel = {{{0}}};
    if ((x | y | z) < 0) {
        memcpy(texel.c, t->border, sizeof texel.c);
        return texel;
    }
    const char *at = level->texels + (size_t)z * level->slice + (size_t)y * level->pitch +
                     (size_t)x * t->element;
    texel_access(at, t->element, false);
    if (t->format == TEXEL_32) {
        memcpy(texel.c, at, t->element);
        return texel;
    }
    size_t width = t->element / t->channels;
    for (unsigned i = 0; i < t->channels; i++) {
        enum texel_format format =
            t->format == TEXEL_SRGB && i == 3 ? TEXEL_UNORM_8 : t->format; /* alpha is linear */
        texel.c[i] = texel_channel(format, at + i * width);
    }
    return texel;
}

static float within(float value, float least, float most) {
    return value > least ? value < most ? value : most : least;
}

/* Integers take the low bits of the float, as the device does; normalized ones are rounded. */
void texel_border(struct sim_texture *t, const float color[4]) {
    for (unsigned i = 0; i < t->channels; i++) {
        union channel *b = &t->border[i];
        b->f = color[i];
        switch (t->format) {
        case TEXEL_SIGNED_8:
            b->u = (uint32_t)(int8_t)b->u;
            break;
        case TEXEL_UNSIGNED_8:
            b->u = (uint8_t)b->u;
            break;
        case TEXEL_SIGNED_16:
            b->u = (uint32_t)(int16_t)b->u;
            break;
        case TEXEL_UNSIGNED_16:
            b->u = (uint16_t)b->u;
            break;
        case TEXEL_SNORM_8:
            b->f = rintf(within(b->f, -1, 1) * 127) / 127;
            break;
        case TEXEL_SNORM_16:
            b->f = rintf(within(b->f, -1, 1) * 32767) / 32767;
            break;
        case TEXEL_UNORM_8:
        case TEXEL_SRGB:
            b->f = rintf(within(b->f, 0, 1) * 255) / 255;
            break;
        case TEXEL_UNORM_16:
            b->f = rintf(within(b->f, 0, 1) * 65535) / 65535;
            break;
        default:
            break;
        }
    }
}
