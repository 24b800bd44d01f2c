/* A fetch at the middle of an element gives the bits that the weighted sum gives, and no other
 * fetch is taken for one. */
#include "test_suite.h"
#include "texture/filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 5, HEIGHT = 4, DEPTH = 3 };

static const uint32_t special[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000,
                                   0x80800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
                                   0x7f7fffff, 0x3f800000, 0xc0490fdb};
#define SPECIALS (sizeof special / sizeof *special)

static uint32_t texels[WIDTH * HEIGHT * DEPTH];

static struct sim_texture texture_with(enum cudaTextureAddressMode mode, bool normalised) {
    struct sim_texture t;
    memset(&t, 0, sizeof t);
    t.linear = true;
    t.normalised = normalised;
    t.address[0] = t.address[1] = t.address[2] = mode;
    t.format = TEXEL_32;
    t.channels = 1;
    t.element = 4;
    t.border[0].u = 0xffc00123; /* a NaN, which comes out as another one */
    for (size_t i = 0; i < WIDTH * HEIGHT * DEPTH; i++) {
        texels[i] = special[i % SPECIALS];
    }
    t.level = (struct texture_level){
        (const char *)texels, WIDTH * 4, WIDTH * HEIGHT * 4, WIDTH, HEIGHT, DEPTH};
    return t;
}

/* The fetch as filter_middle() does it equals the sum; false if it leaves it to the sum. */
static bool agrees(const struct sim_texture *t, unsigned axes, const float at[3]) {
    struct texel middle;
    struct parts parts = {.count = 0};
    bool taken = filter_middle(t, &t->level, axes, at, 0, &middle);
    filter_add(t, &t->level, axes, at, 0, &parts);
    struct texel sum = blend(t, &parts);
    if (taken) {
        ck_assert_msg(memcmp(&middle, &sum, sizeof sum) == 0, "%u axes at %g %g %g: %x, but %x",
                      axes, (double)at[0], (double)at[1], (double)at[2], middle.c[0].u, sum.c[0].u);
    }
    return taken;
}

TEST(middles_give_what_the_sum_gives) {
    for (int mode = cudaAddressModeWrap; mode <= cudaAddressModeBorder; mode++) {
        bool normalised = mode < cudaAddressModeClamp; /* the other two exist only so */
        struct sim_texture t = texture_with((enum cudaTextureAddressMode)mode, normalised);
        t.level.width = normalised ? 4 : WIDTH; /* fractions of a power of two are exact */
        t.level.height = normalised ? 4 : HEIGHT;
        t.level.depth = normalised ? 2 : DEPTH;
        for (int i = -9 * 9 * 9; i < 9 * 9 * 9; i++) {
            float at[3] = {(float)(i % 9), (float)(i / 9 % 9), (float)(i / 81 % 9)};
            const int sizes[3] = {t.level.width, t.level.height, t.level.depth};
            for (int k = 0; k < 3; k++) {
                at[k] = (at[k] + 0.5f) / (normalised ? (float)sizes[k] : 1.0f);
            }
            for (unsigned axes = 1; axes <= 3; axes++) {
                bool half_is_border = axes == 1 && mode == cudaAddressModeBorder;
                ck_assert_int_eq(agrees(&t, axes, at), !half_is_border);
            }
        }
    }
}

TEST(other_places_are_left_to_the_sum) {
    struct sim_texture t = texture_with(cudaAddressModeBorder, false);
    for (unsigned axis = 0; axis < 3; axis++) {
        float at[3] = {1.5f, 2.5f, 1.5f};
        at[axis] += 1.0f / 256;
        ck_assert(!agrees(&t, 3, at));
        at[axis] -= 2.0f / 256;
        ck_assert(!agrees(&t, 3, at));
        at[axis] = 2;
        ck_assert(!agrees(&t, 3, at));
    }
    const float rounded[3] = {1.5f + 0.4f / 256, 2.5f - 0.4f / 256, 1.5f};
    ck_assert(agrees(&t, 3, rounded)); /* positions are rounded to 1/256 */
    const float middle[3] = {1.5f, 2.5f, 1.5f};
    t.format = TEXEL_HALF;
    ck_assert(!filter_middle(&t, &t.level, 2, middle, 0, &(struct texel){0}));
    t = texture_with(cudaAddressModeClamp, false);
    const float outside[3] = {-3.3f, 99.7f, 1.5f}; /* clamped to the middle of the last one */
    ck_assert(agrees(&t, 3, outside));
    const float none[3] = {NAN, 2.5f, 1e-40f};
    ck_assert(agrees(&t, 3, none)); /* both count as 0, which is clamped */
}

SUITE("sim: texture filter")
