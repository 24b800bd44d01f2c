/* The unit tests of lab 3: `make lab3-test`. Each is short: read it when it fails.
 *
 * Most run twice, once for each part. Part B then gets a bank whose mask k is (k + 1) times that of
 * part A, so column x must be (x mod PHASES + 1) times what part A gives there. The output starts
 * as NaN, so that a pixel that was never written cannot pass. */
#include "lab.h"
#include "shown.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 200 * 20, PART_A = 0, PART_B, PARTS };

static float image[MOST], out[MOST], mask[19 * 19], bank[PHASES * 19 * 19];
static float *d_image, *d_out;

static void must(cudaError_t error, const char *what) {
    ck_assert_msg(error == cudaSuccess, "%s failed: %s", what, cudaGetErrorName(error));
}

/* Before each test: an empty mask, an image whose values tell where a pixel is from. */
static void setup(void) {
    cudaGetLastError();
    for (int i = 0; i < MOST; i++) {
        image[i] = (float)(i % 251) - 100.0f;
    }
    for (int i = 0; i < 19 * 19; i++) {
        mask[i] = 0.0f;
    }
    must(cudaMalloc((void **)&d_image, sizeof image), "cudaMalloc");
    must(cudaMalloc((void **)&d_out, sizeof out), "cudaMalloc");
}

static void teardown(void) {
    must(cudaFree(d_image), "cudaFree");
    must(cudaFree(d_out), "cudaFree");
}

static cudaError_t set(int part, int radius) {
    const int size = (2 * radius + 1) * (2 * radius + 1);
    for (int i = 0; i < PHASES * size; i++) {
        bank[i] = mask[i % size] * (float)(i / size + 1);
    }
    return part == PART_A ? set_mask(mask, radius) : set_bank(bank, radius);
}

/* What the function returned when called with `image` on the device; the result is in `out`. */
static cudaError_t correlate(int part, int width, int height, int radius, enum border border) {
    const size_t bytes = (size_t)(width * height) * sizeof(float);
    must(cudaMemcpy(d_image, image, bytes, cudaMemcpyHostToDevice), "copy of the image");
    must(cudaMemset(d_out, 0xff, bytes), "cudaMemset");

    const cudaError_t error = (part == PART_A ? correlate_constant : correlate_polyphase)(
        d_image, width, height, radius, border, d_out);

    must(cudaDeviceSynchronize(), "the kernel");
    must(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost), "copy of the result");
    return error;
}

/* Sets the mask, runs the part, compares all of `out` with what part A must give. */
static void expect(int part, int width, int height, int radius, enum border border,
                   const float *expected_a, float slack) {
    must(set(part, radius), part == PART_A ? "set_mask" : "set_bank");
    const char *name = part == PART_A ? "correlate_constant" : "correlate_polyphase";
    must(correlate(part, width, height, radius, border), name);
    for (int i = 0; i < width * height; i++) {
        const int x = i % width, y = i / width;
        const float expected =
            part == PART_A ? expected_a[i] : expected_a[i] * (float)(x % PHASES + 1);
        ck_assert_msg(fabsf(out[i] - expected) <= slack, "%s: out(x=%d, y=%d) is %g, expected %g",
                      name, x, y, shown(out[i]), (double)expected);
    }
}

START_TEST(identity_mask_copies_the_image) {
    mask[4] = 1.0f; /* the middle of 3x3; 131x11 is not a multiple of any block */
    expect(_i, 131, 11, 1, BORDER_ZERO, image, 0.0f);
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

START_TEST(box_on_ones_counts_the_taps_inside) {
    const float expected[] = {4, 6, 4, 6, 9, 6, 4, 6, 4};
    for (int i = 0; i < 9; i++) {
        image[i] = mask[i] = 1.0f;
    }
    expect(_i, 3, 3, 1, BORDER_ZERO, expected, 0.0f);
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

START_TEST(one_pixel_and_the_largest_mask) {
    float expected = 2.0f;
    for (int i = 0; i < MASK_MAX_SIZE; i++) {
        mask[i] = 1.0f;
    }
    image[0] = 2.0f;
    expect(_i, 1, 1, MASK_MAX_RADIUS, BORDER_ZERO, &expected, 0.0f);
    expected = 2.0f * 17 * 17;
    expect(_i, 1, 1, MASK_MAX_RADIUS, BORDER_REPLICATE, &expected, 0.0f);
}
END_TEST

START_TEST(equals_a_plain_loop) {
    static float expected[MOST];
    const int width = 61, height = 53, radius = 6, size = 13;
    mask_random(radius, 1, mask);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            double sum = 0.0;
            for (int b = -radius; b <= radius; b++) {
                for (int a = -radius; a <= radius; a++) {
                    if (x + a >= 0 && x + a < width && y + b >= 0 && y + b < height) {
                        sum += (double)image[(y + b) * width + (x + a)] *
                               (double)mask[(b + radius) * size + (a + radius)];
                    }
                }
            }
            expected[y * width + x] = (float)sum;
        }
    }
    expect(_i, width, height, radius, BORDER_ZERO, expected, 0.05f);
}
END_TEST

START_TEST(the_last_mask_set_is_used) {
    const float doubled[] = {2, 4, 6};
    image[0] = 1.0f, image[1] = 2.0f, image[2] = 3.0f;
    mask[4] = 1.0f;
    expect(_i, 3, 1, 1, BORDER_ZERO, image, 0.0f);
    mask[4] = 2.0f;
    expect(_i, 3, 1, 1, BORDER_ZERO, doubled, 0.0f);
}
END_TEST

START_TEST(bad_radius_is_refused) {
    ck_assert_int_eq(set(_i, MASK_MAX_RADIUS + 1), cudaErrorInvalidValue);
    cudaGetLastError(); /* what the call above left behind must not speak for the next one */
    ck_assert_int_eq(correlate(_i, 3, 2, MASK_MAX_RADIUS + 1, BORDER_ZERO), cudaErrorInvalidValue);
    ck_assert_int_eq((_i == PART_A ? set_mask : set_bank)(mask, -1), cudaErrorInvalidValue);
}
END_TEST

START_TEST(refused_mask_keeps_the_one_before) {
    image[0] = 1.0f, image[1] = 2.0f, image[2] = 3.0f;
    mask[4] = 1.0f;
    expect(_i, 3, 1, 1, BORDER_ZERO, image, 0.0f);
    mask[4] = 9.0f;
    ck_assert_int_eq(set(_i, MASK_MAX_RADIUS + 1), cudaErrorInvalidValue);
    must(correlate(_i, 3, 1, 1, BORDER_ZERO), "the call after a refused one");
    ck_assert_msg(out[0] == 1.0f, "out(x=0, y=0) is %g, expected 1", shown(out[0]));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("lab3");
    TCase *tcase = tcase_create("correlate");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, identity_mask_copies_the_image, 0, PARTS);
    tcase_add_loop_test(tcase, one_left_of_the_middle_shifts_right, 0, PARTS);
    tcase_add_loop_test(tcase, box_on_ones_counts_the_taps_inside, 0, PARTS);
    tcase_add_loop_test(tcase, three_by_three_by_hand, 0, PARTS);
    tcase_add_loop_test(tcase, one_pixel_and_the_largest_mask, 0, PARTS);
    tcase_add_loop_test(tcase, equals_a_plain_loop, 0, PARTS);
    tcase_add_loop_test(tcase, the_last_mask_set_is_used, 0, PARTS);
    tcase_add_loop_test(tcase, bad_radius_is_refused, 0, PARTS);
    tcase_add_loop_test(tcase, refused_mask_keeps_the_one_before, 0, PARTS);
    suite_add_tcase(suite, tcase);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
