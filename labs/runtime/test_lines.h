/* The unit tests that labs 5 and 6 share. Each is short: read it when it fails. It runs FUNCTIONS
 * times: the lab defines that number, and calls its functions in call().
 *
 * The output and the buffer between the passes start as NaN, so that a pixel that was never written
 * cannot pass. */
#pragma once

#include "shown.h"
#include "test_cuda.h"

enum { MOST = 140 * 40 };

static float image[MOST], out[MOST];
static float column[LINE_MAX_LENGTH], row[LINE_MAX_LENGTH];
static float *d_image, *d_between, *d_out;

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
    d_image = device_array(sizeof image);
    d_between = device_array(sizeof image);
    d_out = device_array(sizeof out);
}

static void teardown(void) {
    must(cudaFree(d_image), "cudaFree");
    must(cudaFree(d_between), "cudaFree");
    must(cudaFree(d_out), "cudaFree");
}

/* Function `which`, from `d_image` to `d_out`. */
static cudaError_t call(int which, int width, int height, int radius, enum border border);

/* Runs a function on `image`; the result is in `out`. */
static void run(const char *name, int which, int width, int height, int radius,
                enum border border) {
    const size_t bytes = (size_t)(width * height) * sizeof(float);
    must(set_lines(column, row, radius), "set_lines");
    must(cudaMemcpy(d_image, image, bytes, cudaMemcpyHostToDevice), "copy of the image");
    must(cudaMemset(d_between, 0xff, bytes), "cudaMemset");
    must(cudaMemset(d_out, 0xff, bytes), "cudaMemset");
    must(call(which, width, height, radius, border), name);
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

/* Runs a function and compares `out` with a plain loop over all taps; NULL: it applies no such
 * line. All numbers are small integers, so the sums are exact and every order of summation gives
 * the same float. */
static void expect_lines_of(const char *name, int which, const float *the_column,
                            const float *the_row, int width, int height, int radius,
                            enum border border) {
    run(name, which, width, height, radius, border);
    const int ra = the_row ? radius : 0, rb = the_column ? radius : 0;
    for (int i = 0; i < width * height; i++) {
        const int x = i % width, y = i / width;
        float sum = 0.0f;
        for (int b = -rb; b <= rb; b++) {
            for (int a = -ra; a <= ra; a++) {
                sum += pixel(width, height, x + a, y + b, border) *
                       (the_column ? the_column[b + radius] : 1.0f) *
                       (the_row ? the_row[a + radius] : 1.0f);
            }
        }
        ck_assert_msg(out[i] == sum, "%s, %d x %d, radius %d: out(x=%d, y=%d) is %g, expected %g",
                      name, width, height, radius, x, y, shown(out[i]), (double)sum);
    }
}

/* The lab calls expect_lines_of() with the lines that function `which` applies. */
static void expect(int which, int width, int height, int radius, enum border border);

LOOP_TEST(single_one_copies_the_image, 0, FUNCTIONS) {
    for (int i = 0; i < 3; i++) {
        column[i] = row[i] = i == 1 ? 1.0f : 0.0f;
    }
    expect(_i, 131, 37, 1, BORDER_ZERO);
}

/* By hand: image 1..9, column 1 2 3, row 3 1 -1. At (0, 0), with zeros outside, the row pass gives
 * 1*1 - 2*1 = -1 and 4*1 - 5*1 = -1 below it; the column pass of that gives -1*2 + -1*3 = -5. */
static void three_by_three(int which, float first) {
    for (int i = 0; i < 9; i++) {
        image[i] = (float)(i + 1);
    }
    expect(which, 3, 3, 1, BORDER_ZERO);
    ck_assert_float_eq(out[0], first);
}

LOOP_TEST(one_pixel_and_the_longest_lines, 0, FUNCTIONS) {
    expect(_i, 1, 1, MASK_MAX_RADIUS, BORDER_ZERO);
    expect(_i, 1, 1, MASK_MAX_RADIUS, BORDER_REPLICATE);
}

TEST(set_lines_refuses_a_bad_radius) {
    ck_assert_int_eq(set_lines(column, row, -1), cudaErrorInvalidValue);
    ck_assert_int_eq(set_lines(column, row, MASK_MAX_RADIUS + 1), cudaErrorInvalidValue);
}
