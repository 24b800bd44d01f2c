/* The unit tests of lab 3: `make lab3-test`. Those in labs/runtime/test_correlate.h run as well.
 *
 * Most run twice, once for each part. Part B then gets a bank whose mask k is (k + 1) times that of
 * part A, so column x must be (x mod PHASES + 1) times what part A gives there. */
#define FUNCTIONS 2

#include "lab.h"
#include "test_correlate.h"
#include "test_cuda.h"

enum { PART_A, PART_B };

static float bank[PHASES * 19 * 19];
static float *d_image, *d_out;

static void setup(void) {
    cudaGetLastError();
    reset();
    d_image = device_array(sizeof image);
    d_out = device_array(sizeof out);
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

/* `expected`: what part A must give. */
static void expect(int part, int width, int height, int radius, enum border border,
                   const float *expected, float slack) {
    static float scaled[MOST];
    const char *name = part == PART_A ? "correlate_constant" : "correlate_polyphase";
    must(set(part, radius), part == PART_A ? "set_mask" : "set_bank");
    must(correlate(part, width, height, radius, border), name);
    for (int i = 0; i < width * height; i++) {
        scaled[i] = expected[i] * (part == PART_A ? 1.0f : (float)(i % width % PHASES + 1));
    }
    compare(name, width, height, scaled, slack);
}

LOOP_TEST(equals_a_plain_loop, 0, FUNCTIONS) {
    mask_random(6, 1, mask);
    plain_loop(61, 53, 6, BORDER_ZERO);
    expect(_i, 61, 53, 6, BORDER_ZERO, loop_sums, 0.05f);
}

LOOP_TEST(the_last_mask_set_is_used, 0, FUNCTIONS) {
    const float doubled[] = {2, 4, 6};
    image[0] = 1.0f, image[1] = 2.0f, image[2] = 3.0f;
    mask[4] = 1.0f;
    expect(_i, 3, 1, 1, BORDER_ZERO, image, 0.0f);
    mask[4] = 2.0f;
    expect(_i, 3, 1, 1, BORDER_ZERO, doubled, 0.0f);
}

LOOP_TEST(bad_radius_is_refused, 0, FUNCTIONS) {
    ck_assert_int_eq(set(_i, MASK_MAX_RADIUS + 1), cudaErrorInvalidValue);
    cudaGetLastError(); /* what the call above left behind must not speak for the next one */
    ck_assert_int_eq(correlate(_i, 3, 2, MASK_MAX_RADIUS + 1, BORDER_ZERO), cudaErrorInvalidValue);
    ck_assert_int_eq((_i == PART_A ? set_mask : set_bank)(mask, -1), cudaErrorInvalidValue);
}

LOOP_TEST(refused_mask_keeps_the_one_before, 0, FUNCTIONS) {
    image[0] = 1.0f, image[1] = 2.0f, image[2] = 3.0f;
    mask[4] = 1.0f;
    expect(_i, 3, 1, 1, BORDER_ZERO, image, 0.0f);
    mask[4] = 9.0f;
    ck_assert_int_eq(set(_i, MASK_MAX_RADIUS + 1), cudaErrorInvalidValue);
    must(correlate(_i, 3, 1, 1, BORDER_ZERO), "the call after a refused one");
    ck_assert_msg(out[0] == 1.0f, "out(x=0, y=0) is %g, expected 1", shown(out[0]));
}

SUITE_BETWEEN("lab3", setup, teardown)
