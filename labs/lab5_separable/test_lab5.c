/* The unit tests of lab 5: `make lab5-test`. Those in labs/runtime/test_lines.h run as well. */
#define FUNCTIONS 4

#include "lab.h"
#include "test_lines.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS, COLUMNS, BOTH, FUSED };

static const char *const names[] = {"correlate_rows", "correlate_columns", "correlate_separable",
                                    "correlate_fused"};

static cudaError_t call(int which, int width, int height, int radius, enum border border) {
    switch (which) {
    case ROWS:
        return correlate_rows(d_image, width, height, radius, border, d_out);
    case COLUMNS:
        return correlate_columns(d_image, width, height, radius, border, d_out);
    case BOTH:
        return correlate_separable(d_image, width, height, radius, border, d_between, d_out);
    default:
        return correlate_fused(d_image, width, height, radius, border, d_out);
    }
}

static void expect(int which, int width, int height, int radius, enum border border) {
    expect_lines_of(names[which], which, which == ROWS ? NULL : column,
                    which == COLUMNS ? NULL : row, width, height, radius, border);
}

LOOP_TEST(three_by_three_by_hand, 0, FUNCTIONS) {
    const float first[] = {-1, 14, -5, -5};
    three_by_three(_i, first[_i]);
}

LOOP_TEST(every_radius, 0, FUNCTIONS) {
    for (int radius = 0; radius <= MASK_MAX_RADIUS; radius++) {
        expect(_i, 37, 11, radius, BORDER_ZERO);
    }
}

LOOP_TEST(sizes_that_are_no_multiple_of_a_block, 0, FUNCTIONS) {
    expect(_i, 139, 3, 2, BORDER_REPLICATE);
    expect(_i, 33, 37, 3, BORDER_ZERO);
    expect(_i, 1, 40, 8, BORDER_REPLICATE);
    expect(_i, 130, 1, 8, BORDER_ZERO);
}

/* ---- separate() ---- */

static void expect_lines(const float *mask, int radius) {
    const int size = 2 * radius + 1;
    struct contradiction why = {0, 0, 0, 0};
    ck_assert_msg(separate(mask, radius, column, row, &why) == SEPARABLE,
                  "separate() refused a separable mask because of g(%d, %d) and g(%d, %d)", why.a,
                  why.b, why.p, why.q);
    for (int i = 0; i < size * size; i++) {
        const float product = column[i / size] * row[i % size];
        ck_assert_msg(fabsf(product - mask[i]) <= 2e-6f * fabsf(mask[i]),
                      "column[%d] * row[%d] is %g, but the mask has %g there", i / size, i % size,
                      (double)product, (double)mask[i]);
    }
}

static void expect_refusal(const float *mask, int radius) {
    const int size = 2 * radius + 1;
    struct contradiction c = {99, 99, 99, 99};
    ck_assert_int_eq(separate(mask, radius, column, row, &c), NOT_SEPARABLE);
    ck_assert_msg(abs(c.a) <= radius && abs(c.b) <= radius && abs(c.p) <= radius &&
                      abs(c.q) <= radius,
                  "separate() gave a contradiction outside the mask: (%d, %d) or (%d, %d)", c.a,
                  c.b, c.p, c.q);
    const float *middle = mask + radius * size + radius;
    const float one = middle[c.b * size + c.a] * middle[c.q * size + c.p];
    const float other = middle[c.b * size + c.p] * middle[c.q * size + c.a];
    ck_assert_msg(fabsf(one - other) > 1e-6f * fabsf(one),
                  "separate() gave no contradiction: g(%d, %d) g(%d, %d) and the other product are "
                  "equal: %g and %g",
                  c.a, c.b, c.p, c.q, (double)one, (double)other);
}

TEST(column_times_row_is_found) {
    const float mask[9] = {2, -6, 4, -1, 3, -2, 5, -15, 10}; /* 2 -1 5 times 1 -3 2 */
    expect_lines(mask, 1);
}

TEST(rows_and_columns_of_zeros) {
    const float mask[9] = {0, 0, 0, 0, 0, 7, 0, 0, -14}; /* 0 1 -2 times 0 0 7 */
    expect_lines(mask, 1);
    const float nothing[9] = {0};
    expect_lines(nothing, 1);
}

TEST(gaussian_is_a_product_up_to_rounding) {
    float mask[MASK_MAX_SIZE];
    mask_gaussian(MASK_MAX_RADIUS, 3.0, mask);
    expect_lines(mask, MASK_MAX_RADIUS);
    mask_gaussian(MASK_MAX_RADIUS, 1.5, mask); /* its corner is 4e-13 times its middle */
    expect_lines(mask, MASK_MAX_RADIUS);
}

TEST(ando_3_is_separable_and_5_is_not) {
    expect_lines(mask_ando3, 1);
    expect_refusal(mask_ando5, 2);
}

TEST(inseparable_masks_are_refused) {
    const float diagonal[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    expect_refusal(diagonal, 1);
    float mask[MASK_MAX_SIZE];
    mask_random(6, 1, mask);
    expect_refusal(mask, 6);
    mask_gaussian(8, 3.0, mask);
    mask[16] *= 1.0001f;
    expect_refusal(mask, 8);
}

SUITE_BETWEEN("lab5", setup, teardown)
