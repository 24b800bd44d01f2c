/* The unit tests of lab 5: `make lab5-test`. Each is short: read it when it fails.
 *
 * The output and the buffer between the passes start as NaN, so that a pixel that was never written
 * cannot pass. */
#include "lab.h"
#include "shown.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 140 * 40, ROWS = 0, COLUMNS, BOTH, FUSED, WAYS };

static const char *const names[WAYS] = {"correlate_rows", "correlate_columns",
                                        "correlate_separable", "correlate_fused"};
static float image[MOST], out[MOST];
static float column[LINE_MAX_LENGTH], row[LINE_MAX_LENGTH];
static float *d_image, *d_between, *d_out;

static void must(cudaError_t error, const char *what) {
    ck_assert_msg(error == cudaSuccess, "%s failed: %s", what, cudaGetErrorName(error));
}

/* Before each test: an image whose values tell where a pixel is from, lines with no symmetry. */
static void setup(void) {
    cudaGetLastError();
    for (int i = 0; i < MOST; i++) {
        image[i] = (float)(i % 31) - 15.0f;
    }
    for (int i = 0; i < LINE_MAX_LENGTH; i++) {
        column[i] = (float)(i + 1);
        row[i] = (float)(3 - 2 * i);
    }
    must(cudaMalloc((void **)&d_image, sizeof image), "cudaMalloc");
    must(cudaMalloc((void **)&d_between, sizeof image), "cudaMalloc");
    must(cudaMalloc((void **)&d_out, sizeof out), "cudaMalloc");
}

static void teardown(void) {
    must(cudaFree(d_image), "cudaFree");
    must(cudaFree(d_between), "cudaFree");
    must(cudaFree(d_out), "cudaFree");
}

/* Runs one of the four on `image`; the result is in `out`. */
static void run(int way, int width, int height, int radius, enum border border) {
    const size_t bytes = (size_t)(width * height) * sizeof(float);
    must(set_lines(column, row, radius), "set_lines");
    must(cudaMemcpy(d_image, image, bytes, cudaMemcpyHostToDevice), "copy of the image");
    must(cudaMemset(d_between, 0xff, bytes), "cudaMemset");
    must(cudaMemset(d_out, 0xff, bytes), "cudaMemset");

    cudaError_t error;
    if (way == ROWS) {
        error = correlate_rows(d_image, width, height, radius, border, d_out);
    } else if (way == COLUMNS) {
        error = correlate_columns(d_image, width, height, radius, border, d_out);
    } else if (way == BOTH) {
        error = correlate_separable(d_image, width, height, radius, border, d_between, d_out);
    } else {
        error = correlate_fused(d_image, width, height, radius, border, d_out);
    }
    must(error, names[way]);
    must(cudaDeviceSynchronize(), "the kernels");
    must(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost), "copy of the result");
}

static float pixel(int width, int height, int x, int y, enum border border) {
    if (border == BORDER_ZERO && (x < 0 || y < 0 || x >= width || y >= height)) {
        return 0.0f;
    }
    x = x < 0 ? 0 : x >= width ? width - 1 : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    return image[y * width + x];
}

/* Compares `out` with a plain loop over all taps. All numbers are small integers, so the sums are
 * exact and every order of summation gives the same float. */
static void expect(int way, int width, int height, int radius, enum border border) {
    run(way, width, height, radius, border);
    const int ra = way == COLUMNS ? 0 : radius, rb = way == ROWS ? 0 : radius;
    for (int i = 0; i < width * height; i++) {
        const int x = i % width, y = i / width;
        float sum = 0.0f;
        for (int b = -rb; b <= rb; b++) {
            for (int a = -ra; a <= ra; a++) {
                sum += pixel(width, height, x + a, y + b, border) *
                       (way == ROWS ? 1.0f : column[b + radius]) *
                       (way == COLUMNS ? 1.0f : row[a + radius]);
            }
        }
        ck_assert_msg(out[i] == sum, "%s, radius %d: out(x=%d, y=%d) is %g, expected %g",
                      names[way], radius, x, y, shown(out[i]), (double)sum);
    }
}

START_TEST(single_one_copies_the_image) {
    for (int i = 0; i < 3; i++) {
        column[i] = row[i] = i == 1 ? 1.0f : 0.0f;
    }
    expect(_i, 131, 37, 1, BORDER_ZERO);
}
END_TEST

/* By hand: image 1..9, column 1 2 3, row 3 1 -1. At (0, 0), with zeros outside, the row pass gives
 * 1*1 - 2*1 = -1 and 4*1 - 5*1 = -1 below it; the column pass of that gives -1*2 + -1*3 = -5. */
START_TEST(three_by_three_by_hand) {
    const float first[WAYS] = {-1, 14, -5, -5};
    for (int i = 0; i < 9; i++) {
        image[i] = (float)(i + 1);
    }
    expect(_i, 3, 3, 1, BORDER_ZERO);
    ck_assert_float_eq(out[0], first[_i]);
}
END_TEST

START_TEST(every_radius) {
    for (int radius = 0; radius <= MASK_MAX_RADIUS; radius++) {
        expect(_i, 37, 11, radius, BORDER_ZERO);
    }
}
END_TEST

START_TEST(sizes_that_are_no_multiple_of_a_block) {
    expect(_i, 139, 3, 2, BORDER_REPLICATE);
    expect(_i, 33, 37, 3, BORDER_ZERO);
    expect(_i, 1, 40, 8, BORDER_REPLICATE);
    expect(_i, 130, 1, 8, BORDER_ZERO);
}
END_TEST

START_TEST(one_pixel_and_the_longest_lines) {
    expect(_i, 1, 1, MASK_MAX_RADIUS, BORDER_ZERO);
    expect(_i, 1, 1, MASK_MAX_RADIUS, BORDER_REPLICATE);
}
END_TEST

START_TEST(set_lines_refuses_a_bad_radius) {
    ck_assert_int_eq(set_lines(column, row, -1), cudaErrorInvalidValue);
    ck_assert_int_eq(set_lines(column, row, MASK_MAX_RADIUS + 1), cudaErrorInvalidValue);
}
END_TEST

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

START_TEST(column_times_row_is_found) {
    const float mask[9] = {2, -6, 4, -1, 3, -2, 5, -15, 10}; /* 2 -1 5 times 1 -3 2 */
    expect_lines(mask, 1);
}
END_TEST

START_TEST(rows_and_columns_of_zeros) {
    const float mask[9] = {0, 0, 0, 0, 0, 7, 0, 0, -14}; /* 0 1 -2 times 0 0 7 */
    expect_lines(mask, 1);
    const float nothing[9] = {0};
    expect_lines(nothing, 1);
}
END_TEST

START_TEST(gaussian_is_a_product_up_to_rounding) {
    float mask[MASK_MAX_SIZE];
    mask_gaussian(MASK_MAX_RADIUS, 3.0, mask);
    expect_lines(mask, MASK_MAX_RADIUS);
    mask_gaussian(MASK_MAX_RADIUS, 1.5, mask); /* its corner is 4e-13 times its middle */
    expect_lines(mask, MASK_MAX_RADIUS);
}
END_TEST

START_TEST(ando_3_is_separable_and_5_is_not) {
    expect_lines(mask_ando3, 1);
    expect_refusal(mask_ando5, 2);
}
END_TEST

START_TEST(inseparable_masks_are_refused) {
    const float diagonal[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    expect_refusal(diagonal, 1);
    float mask[MASK_MAX_SIZE];
    mask_random(6, 1, mask);
    expect_refusal(mask, 6);
    mask_gaussian(8, 3.0, mask);
    mask[16] *= 1.0001f;
    expect_refusal(mask, 8);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("lab5");
    TCase *passes = tcase_create("passes");
    tcase_add_checked_fixture(passes, setup, teardown);
    tcase_add_loop_test(passes, single_one_copies_the_image, 0, WAYS);
    tcase_add_loop_test(passes, three_by_three_by_hand, 0, WAYS);
    tcase_add_loop_test(passes, every_radius, 0, WAYS);
    tcase_add_loop_test(passes, sizes_that_are_no_multiple_of_a_block, 0, WAYS);
    tcase_add_loop_test(passes, one_pixel_and_the_longest_lines, 0, WAYS);
    tcase_add_test(passes, set_lines_refuses_a_bad_radius);
    suite_add_tcase(suite, passes);

    TCase *lines = tcase_create("separate");
    tcase_add_test(lines, column_times_row_is_found);
    tcase_add_test(lines, rows_and_columns_of_zeros);
    tcase_add_test(lines, gaussian_is_a_product_up_to_rounding);
    tcase_add_test(lines, ando_3_is_separable_and_5_is_not);
    tcase_add_test(lines, inseparable_masks_are_refused);
    suite_add_tcase(suite, lines);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
