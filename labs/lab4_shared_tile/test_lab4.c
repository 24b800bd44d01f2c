/* The unit tests of lab 4: `make lab4-test`. Each is short: read it when it fails.
 *
 * Most run four times, once for each part. The output starts as NaN, so that a pixel that was never
 * written cannot pass. */
#include "lab.h"
#include "shown.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 200 * 20, LARGE = 2 * 31 + 1, PART_A = 0, PART_B, PART_C, PART_D, PARTS };

static float image[MOST], out[MOST], loop_sums[MOST], mask[LARGE * LARGE];
static float *d_image, *d_mask, *d_out;

static void must(cudaError_t error, const char *what) {
    ck_assert_msg(error == cudaSuccess, "%s failed: %s", what, cudaGetErrorName(error));
}

static const char *const names[] = {"correlate_idle", "correlate_tile", "correlate_dynamic",
                                    "correlate_register"};

/* Before each test: an empty mask, an image whose values tell where a pixel is from. */
static void setup(void) {
    cudaGetLastError();
    for (int i = 0; i < MOST; i++) {
        image[i] = (float)(i % 251) - 100.0f;
    }
    for (int i = 0; i < LARGE * LARGE; i++) {
        mask[i] = 0.0f;
    }
    must(cudaMalloc((void **)&d_image, sizeof image), "cudaMalloc");
    must(cudaMalloc((void **)&d_mask, sizeof mask), "cudaMalloc");
    must(cudaMalloc((void **)&d_out, sizeof out), "cudaMalloc");
}

static void teardown(void) {
    must(cudaFree(d_image), "cudaFree");
    must(cudaFree(d_mask), "cudaFree");
    must(cudaFree(d_out), "cudaFree");
}

static cudaError_t call(int part, int width, int height, int radius, enum border border) {
    switch (part) {
    case PART_A:
        return correlate_idle(d_image, width, height, radius, border, d_out);
    case PART_B:
        return correlate_tile(d_image, width, height, radius, border, d_out);
    case PART_C:
        return correlate_dynamic(d_image, width, height, d_mask, radius, border, d_out);
    default:
        return correlate_register(d_image, width, height, radius, border, d_out);
    }
}

/* Copies image and mask to the device, runs the part; the result is in `out`. */
static void correlate(int part, int width, int height, int radius, enum border border) {
    const size_t bytes = (size_t)(width * height) * sizeof(float);
    const size_t taps = (size_t)((2 * radius + 1) * (2 * radius + 1));
    must(cudaMemcpy(d_image, image, bytes, cudaMemcpyHostToDevice), "copy of the image");
    must(cudaMemcpy(d_mask, mask, taps * sizeof(float), cudaMemcpyHostToDevice),
         "copy of the mask");
    must(cudaMemset(d_out, 0xff, bytes), "cudaMemset");
    if (part != PART_C) {
        must(set_mask(mask, radius), "set_mask");
    }
    must(call(part, width, height, radius, border), names[part]);
    must(cudaDeviceSynchronize(), "the kernel");
    must(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost), "copy of the result");
}

/* Runs the part and compares all of `out`. */
static void expect(int part, int width, int height, int radius, enum border border,
                   const float *expected, float slack) {
    correlate(part, width, height, radius, border);
    for (int i = 0; i < width * height; i++) {
        ck_assert_msg(fabsf(out[i] - expected[i]) <= slack,
                      "%s: out(x=%d, y=%d) is %g, expected %g", names[part], i % width, i / width,
                      shown(out[i]), (double)expected[i]);
    }
}

/* Computes the sums over all taps, in double, into `loop_sums`. */
static void plain_loop(int width, int height, int radius, enum border border) {
    const int size = 2 * radius + 1;
    for (int i = 0; i < width * height; i++) {
        double sum = 0.0;
        for (int tap = 0; tap < size * size; tap++) {
            const int x = i % width + tap % size - radius, y = i / width + tap / size - radius;
            const int column = x < 0 ? 0 : x >= width ? width - 1 : x;
            const int row = y < 0 ? 0 : y >= height ? height - 1 : y;
            if (border == BORDER_REPLICATE || (column == x && row == y)) {
                sum += (double)image[row * width + column] * (double)mask[tap];
            }
        }
        loop_sums[i] = (float)sum;
    }
}

START_TEST(identity_mask_copies_the_image) {
    mask[4] = 1.0f; /* the middle of 3x3; 131x11 is not a multiple of any tile */
    expect(_i, 131, 11, 1, BORDER_ZERO, image, 0.0f);
}
END_TEST

START_TEST(one_left_of_the_middle_shifts_right) {
    const float shifted[] = {0, 1, 2, 0, 4, 5};
    for (int i = 0; i < 6; i++) {
        image[i] = (float)(i + 1);
    }
    mask[3] = 1.0f; /* g(-1, 0): the left neighbour; 0 at the left end, where there is none */
    expect(_i, 3, 2, 1, BORDER_ZERO, shifted, 0.0f);
}
END_TEST

/* By hand: image 1..9, mask 1..9. The middle is 1*1 + 2*2 + ... + 9*9 = 285; the top left corner
 * of a replicate border reads 1 1 2 / 1 1 2 / 4 4 5. */
START_TEST(three_by_three_by_hand) {
    const float zero[] = {94, 154, 106, 186, 285, 186, 106, 154, 94};
    const float replicate[] = {135, 168, 195, 252, 285, 312, 315, 348, 375};
    for (int i = 0; i < 9; i++) {
        image[i] = mask[i] = (float)(i + 1);
    }
    expect(_i, 3, 3, 1, BORDER_ZERO, zero, 0.0f);
    expect(_i, 3, 3, 1, BORDER_REPLICATE, replicate, 0.0f);
}
END_TEST

/* A single 1 in a corner of the mask: every pixel comes from another corner of its apron. */
START_TEST(corners_of_the_apron_are_loaded) {
    const int radius = 8, size = 17, width = 83, height = 41;
    const int corners[] = {0, size - 1, size * (size - 1), size * size - 1};
    for (int i = 0; i < 4; i++) {
        mask[corners[i]] = 1.0f;
        plain_loop(width, height, radius, BORDER_REPLICATE);
        expect(_i, width, height, radius, BORDER_REPLICATE, loop_sums, 0.0f);
        mask[corners[i]] = 0.0f;
    }
}
END_TEST

START_TEST(one_pixel_and_the_largest_mask) {
    loop_sums[0] = 2.0f;
    for (int i = 0; i < MASK_MAX_SIZE; i++) {
        mask[i] = 1.0f;
    }
    image[0] = 2.0f;
    expect(_i, 1, 1, MASK_MAX_RADIUS, BORDER_ZERO, loop_sums, 0.0f);
    loop_sums[0] = 2.0f * 17 * 17;
    expect(_i, 1, 1, MASK_MAX_RADIUS, BORDER_REPLICATE, loop_sums, 0.0f);
}
END_TEST

START_TEST(every_radius_equals_a_plain_loop) {
    const int width = 67, height = 37;
    for (int radius = 0; radius <= MASK_MAX_RADIUS; radius++) {
        mask_random(radius, 1, mask);
        plain_loop(width, height, radius, BORDER_ZERO);
        expect(_i, width, height, radius, BORDER_ZERO, loop_sums, 0.05f);
    }
}
END_TEST

START_TEST(bad_radius_is_refused) {
    const int too_large = _i == PART_C ? 105 : MASK_MAX_RADIUS + 1; /* 242^2 floats: 228.8 KB */
    must(cudaMemset(d_out, 0, sizeof(float)), "cudaMemset");
    ck_assert_int_eq(call(_i, 1, 1, too_large, BORDER_ZERO), cudaErrorInvalidValue);
    cudaGetLastError(); /* what the call above left behind must not speak for the next one */
    ck_assert_int_eq(call(_i, 1, 1, -1, BORDER_ZERO), cudaErrorInvalidValue);
    must(cudaMemcpy(out, d_out, sizeof(float), cudaMemcpyDeviceToHost), "copy of the result");
    ck_assert_msg(out[0] == 0.0f, "the call that must be refused wrote to d_out");
}
END_TEST

/* Radius 30 is the largest for which 48 KB are enough; radius 31 needs more. */
START_TEST(part_c_uses_more_than_48_kb) {
    const int width = 41, height = 29;
    for (int radius = 30; radius <= 31; radius++) {
        const int size = 2 * radius + 1;
        for (int i = 0; i < size * size; i++) {
            mask[i] = (float)(i % 7) / 64.0f;
        }
        plain_loop(width, height, radius, BORDER_REPLICATE);
        expect(PART_C, width, height, radius, BORDER_REPLICATE, loop_sums, 0.5f);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("lab4");
    TCase *tcase = tcase_create("correlate");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, identity_mask_copies_the_image, 0, PARTS);
    tcase_add_loop_test(tcase, one_left_of_the_middle_shifts_right, 0, PARTS);
    tcase_add_loop_test(tcase, three_by_three_by_hand, 0, PARTS);
    tcase_add_loop_test(tcase, corners_of_the_apron_are_loaded, 0, PARTS);
    tcase_add_loop_test(tcase, one_pixel_and_the_largest_mask, 0, PARTS);
    tcase_add_loop_test(tcase, every_radius_equals_a_plain_loop, 0, PARTS);
    tcase_add_loop_test(tcase, bad_radius_is_refused, 0, PARTS);
    tcase_add_test(tcase, part_c_uses_more_than_48_kb);
    suite_add_tcase(suite, tcase);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
