/* Measured on an H200, bit by bit:
 *
 * - normalized integers are widened to 16 bits (signed ones to 15), and so is their sum, rounded to
 *   nearest. Signed 8-bit integers are widened after the sum;
 * - floats are cut off 27 bits below the leading bit of the largest in their group; all else is
 * exact, and the sum is rounded to nearest, halves away from zero;
 * - a half is the same, rounded to a half. */
#include "texture/blend.h"

#include <math.h>
#include <string.h>

/* A signed number n * 2^exponent. */
struct sum {
    int64_t n;
    int exponent;
};

/* -1000 for 0, which a float that is not normal counts as. */
static int exponent_of(float value) {
    union channel c = {.f = value};
    int exponent = (int)(c.u >> 23 & 255);
    return exponent == 0 ? -1000 : exponent - 127;
}

/* For a normal double. */
static double two_to(int exponent) {
    union {
        uint64_t u;
        double d;
    } power = {.u = (uint64_t)(exponent + 1023) << 52};
    return power.d;
}

/* The weighted sum of channel i. Elements are cut off `bits` bits below the largest one's leading.
 */
static struct sum sum_of(const struct weighted *parts, unsigned count, unsigned i, int bits) {
    struct sum sum = {0, -1000};
    for (unsigned k = 0; k < count; k++) {
        int exponent = parts[k].weight > 0 ? exponent_of(parts[k].texel.c[i].f) : -1000;
        sum.exponent = exponent > sum.exponent ? exponent : sum.exponent;
    }
    if (sum.exponent == -1000) {
        return sum;
    }
    double unit = two_to(bits - sum.exponent);
    for (unsigned k = 0; k < count; k++) {
        if (parts[k].weight > 0 && exponent_of(parts[k].texel.c[i].f) != -1000) {
            sum.n += (int64_t)((double)parts[k].texel.c[i].f * unit) * parts[k].weight;
        }
    }
    sum.exponent -= bits + 8; /* weights have 8 bits after the point */
    return sum;
}

/* The nearest float with `bits` significant bits and no bit below 2^least; halves away from zero.
 */
static float rounded(struct sum s, int bits, int least) {
    uint64_t n = s.n < 0 ? -(uint64_t)s.n : (uint64_t)s.n;
    if (n == 0) {
        return 0;
    }
    int length = 64 - __builtin_clzll(n), drop = length - bits;
    drop = s.exponent + drop < least ? least - s.exponent : drop;
    if (drop > 0) {
        n = drop > 62 ? 0 : (n + (1ull << (drop - 1))) >> drop;
        s.exponent += drop;
    }
    double value = (double)n * two_to(s.exponent);
    return (float)(s.n < 0 ? -value : value);
}

/* Exact as far as 64 bits go: what lies below can only break a tie. */
static struct sum added(struct sum a, struct sum b) {
    if (a.n == 0 || b.n == 0) {
        return a.n == 0 ? b : a;
    }
    if (a.exponent < b.exponent) {
        struct sum c = a;
        a = b;
        b = c;
    }
    int shift = a.exponent - b.exponent;
    if (shift <= 24) {
        return (struct sum){a.n * (int64_t)(1ull << shift) + b.n, b.exponent};
    }
    int64_t rest = shift - 24 < 63 ? b.n >> (shift - 24) : b.n < 0 ? -1 : 0;
    return (struct sum){a.n * (1 << 24) + rest, a.exponent - 24};
}

/* Infinity or NaN if an element with a weight is one. */
static bool is_special(const struct weighted *parts, unsigned count, unsigned i, float *result) {
    bool special = false;
    float sum = 0;
    for (unsigned k = 0; k < count; k++) {
        if (parts[k].weight > 0 && (parts[k].texel.c[i].u & 0x7f800000u) == 0x7f800000u) {
            special = true;
            sum += parts[k].texel.c[i].f;
        }
    }
    *result = sum;
    return special;
}

/* Are all elements with a weight negative, such as -0? */
static bool is_negative(const struct weighted *parts, unsigned count, unsigned i) {
    for (unsigned k = 0; k < count; k++) {
        if (parts[k].weight > 0 && !signbit(parts[k].texel.c[i].f)) {
            return false;
        }
    }
    return true;
}

static union channel blend_floats(const struct sim_texture *t, const struct parts *p, unsigned i) {
    bool half = t->format == TEXEL_HALF;
    int bits = half ? 14 : 27;
    unsigned count = p->count * 4;
    float special;
    if (is_special(p->groups[0], count, i, &special)) {
        return special != special ? (union channel){.u = half ? 0x7fffe000u : 0x7fffffffu}
                                  : (union channel){.f = special};
    }
    struct sum sum = sum_of(p->groups[0], 4, i, bits);
    for (unsigned k = 1; k < p->count; k++) {
        sum = added(sum, sum_of(p->groups[k], 4, i, bits));
    }
    if (sum.n == 0) {
        return (union channel){.f = is_negative(p->groups[0], count, i) ? -0.0f : 0.0f};
    }
    float result = half ? rounded(sum, 11, -24) : rounded(sum, 24, -149);
    if (half && fabsf(result) > 65504) {
        result = copysignf(INFINITY, result);
    }
    if (!half && fabsf(result) < 0x1p-126f) {
        result = copysignf(0, result);
    }
    return (union channel){.f = result};
}

/* `scale`: the integer that stands for 1. */
static union channel blend_integers(const struct parts *p, unsigned i, float scale) {
    int sum = 0;
    for (unsigned k = 0; k < p->count * 4; k++) {
        const struct weighted *part = &p->groups[k / 4][k % 4];
        if (part->weight > 0) {
            sum += (int)floorf(part->texel.c[i].f * scale + 0.5f) * (int)part->weight;
        }
    }
    int n = (sum + 128) >> 8;
    return (union channel){.f = (float)n / scale};
}

static union channel blend_signed_8(const struct parts *p, unsigned i) {
    int sum = 0; /* of numbers from -127 to 127, times 256 */
    for (unsigned k = 0; k < p->count * 4; k++) {
        const struct weighted *part = &p->groups[k / 4][k % 4];
        if (part->weight > 0) {
            sum += (int)lrintf(part->texel.c[i].f * 127) * (int)part->weight;
        }
    }
    int n = (129 * sum + (sum >> 12) * 16 + 64) >> 7;
    return (union channel){.f = (float)n / 32767};
}

struct texel blend(const struct sim_texture *t, const struct parts *parts) {
    struct texel result = {{{0}}};
    for (unsigned i = 0; i < t->channels; i++) {
        switch (t->format) {
        case TEXEL_UNORM_8:
        case TEXEL_UNORM_16:
            result.c[i] = blend_integers(parts, i, 65535);
            break;
        case TEXEL_SNORM_8:
            result.c[i] = blend_signed_8(parts, i);
            break;
        case TEXEL_SNORM_16:
            result.c[i] = blend_integers(parts, i, 32767);
            break;
        case TEXEL_SRGB:
            result.c[i] = i == 3 ? blend_integers(parts, i, 65535) : blend_floats(t, parts, i);
            break;
        default:
            result.c[i] = blend_floats(t, parts, i);
        }
    }
    return result;
}
