/* The unit tests of lab 1: `make lab1-test`. Each is short: read it when it fails.
 *
 * Every test runs three times, once for each part's function. `out` starts as NaN, so that a pixel
 * that was never written cannot pass. */
#include "lab.h"
#include "mask.h"
#include "shown.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

typedef void correlate(const float *image, int width, int height, const float *mask, int radius,
                       enum border border, float *out);

static correlate *const functions[] = {correlate_loops, correlate_rows, correlate_openmp};
static const char *const names[] = {"correlate_loops", "correlate_rows", "correlate_openmp"};
enum { FUNCTIONS = 3, MOST = 64 * 64 };

static float image[MOST], out[MOST], mask[MASK_MAX_SIZE];

/* Before each test: an empty mask, an image whose values tell where a pixel comes from. */
static void setup(void) {
    for (int i = 0; i < MOST; i++) {
        image[i] = (float)(i % 251) - 100.0f;
    }
    for (int i = 0; i < MASK_MAX_SIZE; i++) {
        mask[i] = 0.0f;
    }
}

/* Runs function `which` and compares all of `out` with `expected`, exactly unless `slack` is above
 * 0.
 */
static void expect(int which, int width, int height, int radius, enum border border,
                   const float *expected, float slack) {
    for (int i = 0; i < MOST; i++) {
        out[i] = NAN;
    }
    functions[which](image, width, height, mask, radius, border, out);
    for (int i = 0; i < width * height; i++) {
        ck_assert_msg(fabsf(out[i] - expected[i]) <= slack,
                      "%s: out(x=%d, y=%d) is %g, expected %g", names[which], i % width, i / width,
                      shown(out[i]), (double)expected[i]);
    }
}

START_TEST(identity_mask_copies_the_image) {
    mask[4] = 1.0f; /* the middle of 3x3 */
    expect(_i, 7, 5, 1, BORDER_ZERO, image, 0.0f);
}
END_TEST

START_TEST(one_left_of_the_middle_shifts_right) {
    const float expected[] = {0, 1, 2, 0, 4, 5};
    for (int i = 0; i < 6; i++) {
        image[i] = (float)(i + 1);
    }
    mask[3] = 1.0f; /* g(-1, 0): the left neighbour; 0 at the left end, where there is none */
    expect(_i, 3, 2, 1, BORDER_ZERO, expected, 0.0f);
}
END_TEST

START_TEST(one_above_the_middle_shifts_down) {
    const float expected[] = {1, 2, 3, 1, 2, 3};
    for (int i = 0; i < 6; i++) {
        image[i] = (float)(i + 1);
    }
    mask[1] = 1.0f; /* g(0, -1): the pixel above; the top row has none and repeats itself */
    expect(_i, 3, 2, 1, BORDER_REPLICATE, expected, 0.0f);
}
END_TEST

START_TEST(box_on_ones_counts_the_taps_inside) {
    const float expected[] = {4, 6, 4, 6, 9, 6, 4, 6, 4};
    for (int i = 0; i < 9; i++) {
        image[i] = mask[i] = 1.0f;
    }
    expect(_i, 3, 3, 1, BORDER_ZERO, expected, 0.0f);
}
END_TEST

/* By hand: image 1..9, mask 1..9. The middle is 1*1 + 2*2 + ... + 9*9 = 285. */
START_TEST(three_by_three_zero_border) {
    const float expected[] = {94, 154, 106, 186, 285, 186, 106, 154, 94};
    for (int i = 0; i < 9; i++) {
        image[i] = mask[i] = (float)(i + 1);
    }
    expect(_i, 3, 3, 1, BORDER_ZERO, expected, 0.0f);
}
END_TEST

/* By hand: the top left corner reads 1 1 2 / 1 1 2 / 4 4 5. */
START_TEST(three_by_three_replicate_border) {
    const float expected[] = {135, 168, 195, 252, 285, 312, 315, 348, 375};
    for (int i = 0; i < 9; i++) {
        image[i] = mask[i] = (float)(i + 1);
    }
    expect(_i, 3, 3, 1, BORDER_REPLICATE, expected, 0.0f);
}
END_TEST

START_TEST(one_pixel_and_a_large_mask) {
    float expected = 2.0f;
    for (int i = 0; i < MASK_MAX_SIZE; i++) {
        mask[i] = 1.0f;
    }
    image[0] = 2.0f;
    expect(_i, 1, 1, 8, BORDER_ZERO, &expected, 0.0f);
    expected = 2.0f * 17 * 17;
    expect(_i, 1, 1, 8, BORDER_REPLICATE, &expected, 0.0f);
}
END_TEST

/* Eq. 1 as written, in double; a sum in another order differs only by rounding. */
static void expect_eq1(int which, int width, int height, int radius, enum border border) {
    static float expected[MOST];
    mask_random(radius, 1, mask);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            double sum = 0.0;
            for (int b = -radius; b <= radius; b++) {
                for (int a = -radius; a <= radius; a++) {
                    int row = y + b, column = x + a;
                    if (border == BORDER_REPLICATE) {
                        row = row < 0 ? 0 : row >= height ? height - 1 : row;
                        column = column < 0 ? 0 : column >= width ? width - 1 : column;
                    }
                    if (row >= 0 && row < height && column >= 0 && column < width) {
                        sum += (double)image[row * width + column] *
                               (double)mask[(b + radius) * (2 * radius + 1) + (a + radius)];
                    }
                }
            }
            expected[y * width + x] = (float)sum;
        }
    }
    expect(which, width, height, radius, border, expected, 0.01f);
}

START_TEST(equals_eq1_13x13) {
    expect_eq1(_i, 61, 53, 6, BORDER_ZERO);
    expect_eq1(_i, 61, 53, 6, BORDER_REPLICATE);
}
END_TEST

START_TEST(equals_eq1_on_one_row_and_one_column) {
    expect_eq1(_i, 37, 1, 2, BORDER_REPLICATE);
    expect_eq1(_i, 1, 37, 2, BORDER_ZERO);
    expect_eq1(_i, 5, 3, 8, BORDER_REPLICATE); /* smaller than the mask */
}
END_TEST

int main(void) {
    Suite *suite = suite_create("lab1");
    TCase *tcase = tcase_create("correlate");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_loop_test(tcase, identity_mask_copies_the_image, 0, FUNCTIONS);
    tcase_add_loop_test(tcase, one_left_of_the_middle_shifts_right, 0, FUNCTIONS);
    tcase_add_loop_test(tcase, one_above_the_middle_shifts_down, 0, FUNCTIONS);
    tcase_add_loop_test(tcase, box_on_ones_counts_the_taps_inside, 0, FUNCTIONS);
    tcase_add_loop_test(tcase, three_by_three_zero_border, 0, FUNCTIONS);
    tcase_add_loop_test(tcase, three_by_three_replicate_border, 0, FUNCTIONS);
    tcase_add_loop_test(tcase, one_pixel_and_a_large_mask, 0, FUNCTIONS);
    tcase_add_loop_test(tcase, equals_eq1_13x13, 0, FUNCTIONS);
    tcase_add_loop_test(tcase, equals_eq1_on_one_row_and_one_column, 0, FUNCTIONS);
    suite_add_tcase(suite, tcase);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
