/* The unit tests that labs 1 to 4 share. Each is short: read it when it fails. It runs FUNCTIONS
 * times: the lab defines that number, and calls its functions in expect(). */
#pragma once

#include "border.h"
#include "shown.h"
#include "test_suite.h"

#include <math.h>

enum { MOST = 64 * 64 };

static float image[MOST], out[MOST], mask[MOST], loop_sums[MOST];

/* Runs function `which` on `image` and `mask`, and compares all of `out` with `expected`. The
 * output starts as NaN, so that a pixel that was never written cannot pass. */
static void expect(int which, int width, int height, int radius, enum border border,
                   const float *expected, float slack);

/* Before each test: an empty mask, an image whose values tell where a pixel comes from. */
static void reset(void) {
    for (int i = 0; i < MOST; i++) {
        image[i] = (float)(i % 251) - 100.0f;
        mask[i] = 0.0f;
    }
}

static void compare(const char *name, int width, int height, const float *expected, float slack) {
    for (int i = 0; i < width * height; i++) {
        ck_assert_msg(fabsf(out[i] - expected[i]) <= slack,
                      "%s: out(x=%d, y=%d) is %g, expected %g", name, i % width, i / width,
                      shown(out[i]), (double)expected[i]);
    }
}

/* Eq. 1 as written, in double, into `loop_sums`. */
static inline void plain_loop(int width, int height, int radius, enum border border) {
    for (int i = 0; i < width * height; i++) {
        double sum = 0.0;
        const float *coefficient = mask;
        for (int b = -radius; b <= radius; b++) {
            for (int a = -radius; a <= radius; a++, coefficient++) {
                const int x = i % width + a, y = i / width + b;
                const int column = x < 0 ? 0 : x >= width ? width - 1 : x;
                const int row = y < 0 ? 0 : y >= height ? height - 1 : y;
                if (border == BORDER_REPLICATE || (column == x && row == y)) {
                    sum += (double)image[row * width + column] * (double)*coefficient;
                }
            }
        }
        loop_sums[i] = (float)sum;
    }
}

LOOP_TEST(identity_mask_copies_the_image, 0, FUNCTIONS) {
    mask[4] = 1.0f; /* the middle of 3x3; 131x11 is not a multiple of any block */
    expect(_i, 131, 11, 1, BORDER_ZERO, image, 0.0f);
}

LOOP_TEST(one_left_of_the_middle_shifts_right, 0, FUNCTIONS) {
    const float expected[] = {0, 1, 2, 0, 4, 5};
    for (int i = 0; i < 6; i++) {
        image[i] = (float)(i + 1);
    }
    mask[3] = 1.0f; /* g(-1, 0): the left neighbour; 0 at the left end, where there is none */
    expect(_i, 3, 2, 1, BORDER_ZERO, expected, 0.0f);
}

LOOP_TEST(box_on_ones_counts_the_taps_inside, 0, FUNCTIONS) {
    const float expected[] = {4, 6, 4, 6, 9, 6, 4, 6, 4};
    for (int i = 0; i < 9; i++) {
        image[i] = mask[i] = 1.0f;
    }
    expect(_i, 3, 3, 1, BORDER_ZERO, expected, 0.0f);
}

/* By hand: image 1..9, mask 1..9. The middle is 1*1 + 2*2 + ... + 9*9 = 285; the top left corner
 * of a replicate border reads 1 1 2 / 1 1 2 / 4 4 5. */
LOOP_TEST(three_by_three_by_hand, 0, FUNCTIONS) {
    const float zero[] = {94, 154, 106, 186, 285, 186, 106, 154, 94};
    const float replicate[] = {135, 168, 195, 252, 285, 312, 315, 348, 375};
    for (int i = 0; i < 9; i++) {
        image[i] = mask[i] = (float)(i + 1);
    }
    expect(_i, 3, 3, 1, BORDER_ZERO, zero, 0.0f);
    expect(_i, 3, 3, 1, BORDER_REPLICATE, replicate, 0.0f);
}

LOOP_TEST(one_pixel_and_a_large_mask, 0, FUNCTIONS) {
    float expected = 2.0f;
    for (int i = 0; i < 17 * 17; i++) {
        mask[i] = 1.0f;
    }
    image[0] = 2.0f;
    expect(_i, 1, 1, 8, BORDER_ZERO, &expected, 0.0f);
    expected = 2.0f * 17 * 17;
    expect(_i, 1, 1, 8, BORDER_REPLICATE, &expected, 0.0f);
}
