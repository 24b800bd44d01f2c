/* The unit tests of lab 4: `make lab4-test`. Those in labs/runtime/test_correlate.h run as well.
 *
 * Most run four times, once for each part. */
#define FUNCTIONS 4

#include "lab.h"
#include "test_correlate.h"
#include "test_cuda.h"

enum { PART_A, PART_B, PART_C, PART_D };

static float *d_image, *d_mask, *d_out;

static const char *const names[] = {"correlate_idle", "correlate_tile", "correlate_dynamic",
                                    "correlate_register"};

static void setup(void) {
    cudaGetLastError();
    reset();
    d_image = device_array(sizeof image);
    d_mask = device_array(sizeof mask);
    d_out = device_array(sizeof out);
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

static void expect(int part, int width, int height, int radius, enum border border,
                   const float *expected, float slack) {
    correlate(part, width, height, radius, border);
    compare(names[part], width, height, expected, slack);
}

/* A single 1 in a corner of the mask: every pixel comes from another corner of its apron. */
LOOP_TEST(corners_of_the_apron_are_loaded, 0, FUNCTIONS) {
    const int radius = 8, size = 17, width = 83, height = 41;
    const int corners[] = {0, size - 1, size * (size - 1), size * size - 1};
    for (int i = 0; i < 4; i++) {
        mask[corners[i]] = 1.0f;
        plain_loop(width, height, radius, BORDER_REPLICATE);
        expect(_i, width, height, radius, BORDER_REPLICATE, loop_sums, 0.0f);
        mask[corners[i]] = 0.0f;
    }
}

LOOP_TEST(every_radius_equals_a_plain_loop, 0, FUNCTIONS) {
    const int width = 67, height = 37;
    for (int radius = 0; radius <= MASK_MAX_RADIUS; radius++) {
        mask_random(radius, 1, mask);
        plain_loop(width, height, radius, BORDER_ZERO);
        expect(_i, width, height, radius, BORDER_ZERO, loop_sums, 0.05f);
    }
}

LOOP_TEST(bad_radius_is_refused, 0, FUNCTIONS) {
    const int too_large = _i == PART_C ? 105 : MASK_MAX_RADIUS + 1; /* 242^2 floats: 228.8 KB */
    must(cudaMemset(d_out, 0, sizeof(float)), "cudaMemset");
    ck_assert_int_eq(call(_i, 1, 1, too_large, BORDER_ZERO), cudaErrorInvalidValue);
    cudaGetLastError(); /* what the call above left behind must not speak for the next one */
    ck_assert_int_eq(call(_i, 1, 1, -1, BORDER_ZERO), cudaErrorInvalidValue);
    must(cudaMemcpy(out, d_out, sizeof(float), cudaMemcpyDeviceToHost), "copy of the result");
    ck_assert_msg(out[0] == 0.0f, "the call that must be refused wrote to d_out");
}

/* Radius 30 is the largest for which 48 KB are enough; radius 31 needs more. */
TEST(part_c_uses_more_than_48_kb) {
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

SUITE_BETWEEN("lab4", setup, teardown)
