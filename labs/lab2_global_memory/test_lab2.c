/* The unit tests of lab 2: `make lab2-test`. Each is short: read it when it fails.
 *
 * Most run four times, once for each part's function, all with host pointers in and out.
 * The output starts as NaN, so that a pixel that was never written cannot pass. */
#include "lab.h"
#include "mask.h"
#include "shown.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 64 * 64 };

static float image[MOST], out[MOST], mask[MASK_MAX_SIZE];

static void must(cudaError_t error, const char *what) {
    ck_assert_msg(error == cudaSuccess, "%s failed: %s", what, cudaGetErrorName(error));
}

typedef cudaError_t on_device(const float *d_image, int width, int height, const float *d_mask,
                              int radius, enum border border, float *d_out);

/* Calls a function of part A or D with copies of `image` and `mask` on the device. */
static cudaError_t with_copies(on_device *function, int width, int height, int radius,
                               enum border border) {
    const size_t image_bytes = (size_t)(width * height) * sizeof(float);
    const size_t mask_bytes = (size_t)((2 * radius + 1) * (2 * radius + 1)) * sizeof(float);
    float *d_image, *d_mask, *d_out;

    must(cudaMalloc((void **)&d_image, image_bytes), "cudaMalloc");
    must(cudaMalloc((void **)&d_mask, mask_bytes), "cudaMalloc");
    must(cudaMalloc((void **)&d_out, image_bytes), "cudaMalloc");
    must(cudaMemcpy(d_image, image, image_bytes, cudaMemcpyHostToDevice), "copy of the image");
    must(cudaMemcpy(d_mask, mask, mask_bytes, cudaMemcpyHostToDevice), "copy of the mask");
    must(cudaMemset(d_out, 0xff, image_bytes), "cudaMemset");

    const cudaError_t error = function(d_image, width, height, d_mask, radius, border, d_out);

    must(cudaDeviceSynchronize(), "the kernel");
    must(cudaMemcpy(out, d_out, image_bytes, cudaMemcpyDeviceToHost), "copy of the result");
    must(cudaFree(d_image), "cudaFree");
    must(cudaFree(d_mask), "cudaFree");
    must(cudaFree(d_out), "cudaFree");
    return error;
}

static const char *const names[] = {"correlate_device", "correlate_host", "correlate_staged",
                                    "correlate_identical"};
enum { DEVICE, HOST, STAGED, IDENTICAL, FUNCTIONS };

static cudaError_t call(int which, int width, int height, int radius, enum border border) {
    for (int i = 0; i < MOST; i++) {
        out[i] = NAN;
    }
    switch (which) {
    case DEVICE:
        return with_copies(correlate_device, width, height, radius, border);
    case HOST:
        return correlate_host(image, width, height, mask, radius, border, out);
    case STAGED:
        return correlate_staged(HOST_PINNED, image, width, height, mask, radius, border, out);
    default:
        return with_copies(correlate_identical, width, height, radius, border);
    }
}

/* Runs function `which` and compares all of `out` with `expected`, up to `slack`. */
static void expect(int which, int width, int height, int radius, enum border border,
                   const float *expected, float slack) {
    must(call(which, width, height, radius, border), names[which]);
    for (int i = 0; i < width * height; i++) {
        ck_assert_msg(fabsf(out[i] - expected[i]) <= slack,
                      "%s: out(x=%d, y=%d) is %g, expected %g", names[which], i % width, i / width,
                      shown(out[i]), (double)expected[i]);
    }
}

/* Before each test: no pending CUDA error, an empty mask, an image whose values tell where a pixel
 * is from.
 */
static void setup(void) {
    cudaGetLastError();
    for (int i = 0; i < MOST; i++) {
        image[i] = (float)(i % 251) - 100.0f;
    }
    for (int i = 0; i < MASK_MAX_SIZE; i++) {
        mask[i] = 0.0f;
    }
}

START_TEST(identity_mask_copies_the_image) {
    mask[4] = 1.0f; /* the middle of 3x3; 37x11 is not a multiple of any block */
    expect(_i, 37, 11, 1, BORDER_ZERO, image, 0.0f);
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

/* Eq. 1 as written, each product and each sum rounded to float: `volatile` keeps the compiler
 * from any other rounding. */
static void plain_loop(int width, int height, int radius, enum border border, float *expected) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            volatile float sum = 0.0f;
            for (int b = -radius; b <= radius; b++) {
                for (int a = -radius; a <= radius; a++) {
                    int row = y + b, column = x + a;
                    if (border == BORDER_REPLICATE) {
                        row = row < 0 ? 0 : row >= height ? height - 1 : row;
                        column = column < 0 ? 0 : column >= width ? width - 1 : column;
                    }
                    if (row >= 0 && row < height && column >= 0 && column < width) {
                        volatile float product =
                            image[row * width + column] *
                            mask[(b + radius) * (2 * radius + 1) + (a + radius)];
                        sum = sum + product;
                    }
                }
            }
            expected[y * width + x] = sum;
        }
    }
}

START_TEST(equals_a_plain_loop) {
    static float expected[MOST];
    const float slack = _i == IDENTICAL ? 0.0f : 0.01f; /* part D: every bit */
    mask_random(6, 1, mask);
    plain_loop(61, 53, 6, BORDER_ZERO, expected);
    expect(_i, 61, 53, 6, BORDER_ZERO, expected, slack);
    plain_loop(61, 53, 6, BORDER_REPLICATE, expected);
    expect(_i, 61, 53, 6, BORDER_REPLICATE, expected, slack);
    plain_loop(53, 1, 6, BORDER_REPLICATE, expected);
    expect(_i, 53, 1, 6, BORDER_REPLICATE, expected, slack);
}
END_TEST

START_TEST(every_kind_of_staging_buffer_works) {
    mask[4] = 1.0f;
    for (int kind = HOST_PAGEABLE; kind <= HOST_WRITE_COMBINED; kind++) {
        out[0] = NAN;
        must(correlate_staged((enum host_memory)kind, image, 37, 11, mask, 1, BORDER_ZERO, out),
             "correlate_staged");
        ck_assert_msg(out[0] == image[0],
                      "correlate_staged(), kind %d: out(x=0, y=0) is %g, expected %g", kind,
                      shown(out[0]), (double)image[0]);
    }
}
END_TEST

START_TEST(unknown_kind_of_staging_buffer_is_refused) {
    const int kind = 7;
    ck_assert_int_eq(
        correlate_staged((enum host_memory)kind, image, 3, 2, mask, 1, BORDER_ZERO, out),
        cudaErrorInvalidValue);
}
END_TEST

/* An image of 2^48 bytes fits on no GPU: cudaMalloc() fails, and the function must report it. */
START_TEST(too_little_device_memory_is_reported) {
    ck_assert_int_eq(correlate_host(image, 1 << 23, 1 << 23, mask, 1, BORDER_ZERO, out),
                     cudaErrorMemoryAllocation);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("lab2");
    TCase *tcase = tcase_create("correlate");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_loop_test(tcase, identity_mask_copies_the_image, 0, FUNCTIONS);
    tcase_add_loop_test(tcase, one_left_of_the_middle_shifts_right, 0, FUNCTIONS);
    tcase_add_loop_test(tcase, box_on_ones_counts_the_taps_inside, 0, FUNCTIONS);
    tcase_add_loop_test(tcase, three_by_three_by_hand, 0, FUNCTIONS);
    tcase_add_loop_test(tcase, one_pixel_and_a_large_mask, 0, FUNCTIONS);
    tcase_add_loop_test(tcase, equals_a_plain_loop, 0, FUNCTIONS);
    tcase_add_test(tcase, every_kind_of_staging_buffer_works);
    tcase_add_test(tcase, unknown_kind_of_staging_buffer_is_refused);
    tcase_add_test(tcase, too_little_device_memory_is_reported);
    suite_add_tcase(suite, tcase);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
