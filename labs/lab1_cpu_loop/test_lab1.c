/* The unit tests of lab 1: `make lab1-test`. Those in labs/runtime/test_correlate.h run as well.
 *
 * Every test runs three times, once for each part's function. */
#define FUNCTIONS 3

#include "lab.h"
#include "mask.h"
#include "test_correlate.h"

typedef void correlate(const float *image, int width, int height, const float *mask, int radius,
                       enum border border, float *out);

static correlate *const functions[] = {correlate_loops, correlate_rows, correlate_openmp};
static const char *const names[] = {"correlate_loops", "correlate_rows", "correlate_openmp"};

static void expect(int which, int width, int height, int radius, enum border border,
                   const float *expected, float slack) {
    for (int i = 0; i < MOST; i++) {
        out[i] = NAN;
    }
    functions[which](image, width, height, mask, radius, border, out);
    compare(names[which], width, height, expected, slack);
}

LOOP_TEST(one_above_the_middle_shifts_down, 0, FUNCTIONS) {
    const float expected[] = {1, 2, 3, 1, 2, 3};
    for (int i = 0; i < 6; i++) {
        image[i] = (float)(i + 1);
    }
    mask[1] = 1.0f; /* g(0, -1): the pixel above; the top row has none and repeats itself */
    expect(_i, 3, 2, 1, BORDER_REPLICATE, expected, 0.0f);
}

/* A sum in another order differs only by rounding. */
static void expect_eq1(int which, int width, int height, int radius, enum border border) {
    mask_random(radius, 1, mask);
    plain_loop(width, height, radius, border);
    expect(which, width, height, radius, border, loop_sums, 0.01f);
}

LOOP_TEST(equals_eq1_13x13, 0, FUNCTIONS) {
    expect_eq1(_i, 61, 53, 6, BORDER_ZERO);
    expect_eq1(_i, 61, 53, 6, BORDER_REPLICATE);
}

LOOP_TEST(equals_eq1_on_one_row_and_one_column, 0, FUNCTIONS) {
    expect_eq1(_i, 37, 1, 2, BORDER_REPLICATE);
    expect_eq1(_i, 1, 37, 2, BORDER_ZERO);
    expect_eq1(_i, 5, 3, 8, BORDER_REPLICATE); /* smaller than the mask */
}

SUITE_BETWEEN("lab1", reset, NULL)
