/* The unit tests of lab 6: `make lab6-test`. Each is short: read it when it fails. It runs
 * for each of the three filters: they differ in how they access memory, not in what they compute.
 *
 * The output and the buffer between the passes start as NaN, so that a pixel that was never written
 * cannot pass. */
#include "lab.h"
#include "shown.h"

#include <check.h>
#include <stdlib.h>

enum { MOST = 140 * 40, WAYS = 3 };

typedef cudaError_t filter(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_between, float *d_out);

static const struct {
    const char *name;
    filter *filter;
} ways[WAYS] = {{"filter_coalesced", filter_coalesced},
                {"filter_conflict_free", filter_conflict_free},
                {"filter_vectorised", filter_vectorised}};
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

/* Runs a filter on `image`; the result is in `out`. */
static void run(int way, int width, int height, int radius, enum border border) {
    const size_t bytes = (size_t)(width * height) * sizeof(float);
    must(set_lines(column, row, radius), "set_lines");
    must(cudaMemcpy(d_image, image, bytes, cudaMemcpyHostToDevice), "copy of the image");
    must(cudaMemset(d_between, 0xff, bytes), "cudaMemset");
    must(cudaMemset(d_out, 0xff, bytes), "cudaMemset");
    must(ways[way].filter(d_image, width, height, radius, border, d_between, d_out),
         ways[way].name);
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
    for (int i = 0; i < width * height; i++) {
        const int x = i % width, y = i / width;
        float sum = 0.0f;
        for (int b = -radius; b <= radius; b++) {
            for (int a = -radius; a <= radius; a++) {
                sum += pixel(width, height, x + a, y + b, border) * column[b + radius] *
                       row[a + radius];
            }
        }
        ck_assert_msg(out[i] == sum, "%s, %d x %d, radius %d: out(x=%d, y=%d) is %g, expected %g",
                      ways[way].name, width, height, radius, x, y, shown(out[i]), (double)sum);
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
    for (int i = 0; i < 9; i++) {
        image[i] = (float)(i + 1);
    }
    expect(_i, 3, 3, 1, BORDER_ZERO);
    ck_assert_float_eq(out[0], -5.0f);
}
END_TEST

START_TEST(every_radius) {
    for (int radius = 0; radius <= MASK_MAX_RADIUS; radius++) {
        expect(_i, 36, 11, radius, BORDER_ZERO);
        expect(_i, 37, 11, radius, BORDER_REPLICATE);
    }
}
END_TEST

START_TEST(widths_near_a_group_and_a_block) {
    for (int width = 1; width <= 9; width++) {
        expect(_i, width, 5, 2, BORDER_REPLICATE);
        expect(_i, 123 + width, 2, 5, BORDER_ZERO);
    }
}
END_TEST

START_TEST(heights_near_a_block) {
    for (int height = 30; height <= 34; height++) {
        expect(_i, 12, height, 3, BORDER_REPLICATE);
    }
}
END_TEST

START_TEST(one_pixel_and_the_longest_lines) {
    expect(_i, 1, 1, MASK_MAX_RADIUS, BORDER_ZERO);
    expect(_i, 1, 1, MASK_MAX_RADIUS, BORDER_REPLICATE);
}
END_TEST

/* Short lines after long ones: coefficients of the long ones are still in constant memory, and must
 * not be used. */
START_TEST(the_last_lines_set_are_used) {
    expect(_i, 40, 20, MASK_MAX_RADIUS, BORDER_ZERO);
    expect(_i, 40, 20, 1, BORDER_ZERO);
}
END_TEST

START_TEST(set_lines_refuses_a_bad_radius) {
    ck_assert_int_eq(set_lines(column, row, -1), cudaErrorInvalidValue);
    ck_assert_int_eq(set_lines(column, row, MASK_MAX_RADIUS + 1), cudaErrorInvalidValue);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("lab6");
    TCase *tcase = tcase_create("filters");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, single_one_copies_the_image, 0, WAYS);
    tcase_add_loop_test(tcase, three_by_three_by_hand, 0, WAYS);
    tcase_add_loop_test(tcase, every_radius, 0, WAYS);
    tcase_add_loop_test(tcase, widths_near_a_group_and_a_block, 0, WAYS);
    tcase_add_loop_test(tcase, heights_near_a_block, 0, WAYS);
    tcase_add_loop_test(tcase, one_pixel_and_the_longest_lines, 0, WAYS);
    tcase_add_loop_test(tcase, the_last_lines_set_are_used, 0, WAYS);
    tcase_add_test(tcase, set_lines_refuses_a_bad_radius);
    suite_add_tcase(suite, tcase);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
