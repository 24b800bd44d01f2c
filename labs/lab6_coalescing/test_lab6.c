/* The unit tests of lab 6: `make lab6-test`. Those in labs/runtime/test_lines.h run as well. Each
 * runs for each of the three filters: they differ in how they access memory, not in what they
 * compute. */
#define FUNCTIONS 3

#include "lab.h"
#include "test_lines.h"

typedef cudaError_t filter(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_between, float *d_out);

static filter *const filters[] = {filter_coalesced, filter_conflict_free, filter_vectorised};
static const char *const names[] = {"filter_coalesced", "filter_conflict_free",
                                    "filter_vectorised"};

static cudaError_t call(int which, int width, int height, int radius, enum border border) {
    return filters[which](d_image, width, height, radius, border, d_between, d_out);
}

static void expect(int which, int width, int height, int radius, enum border border) {
    expect_lines_of(names[which], which, column, row, width, height, radius, border);
}

LOOP_TEST(three_by_three_by_hand, 0, FUNCTIONS) {
    three_by_three(_i, -5.0f);
}

LOOP_TEST(every_radius, 0, FUNCTIONS) {
    for (int radius = 0; radius <= MASK_MAX_RADIUS; radius++) {
        expect(_i, 36, 11, radius, BORDER_ZERO);
        expect(_i, 37, 11, radius, BORDER_REPLICATE);
    }
}

LOOP_TEST(widths_near_a_group_and_a_block, 0, FUNCTIONS) {
    for (int width = 1; width <= 9; width++) {
        expect(_i, width, 5, 2, BORDER_REPLICATE);
        expect(_i, 123 + width, 2, 5, BORDER_ZERO);
    }
}

LOOP_TEST(heights_near_a_block, 0, FUNCTIONS) {
    for (int height = 30; height <= 34; height++) {
        expect(_i, 12, height, 3, BORDER_REPLICATE);
    }
}

/* Short lines after long ones: coefficients of the long ones are still in constant memory, and must
 * not be used. */
LOOP_TEST(the_last_lines_set_are_used, 0, FUNCTIONS) {
    expect(_i, 40, 20, MASK_MAX_RADIUS, BORDER_ZERO);
    expect(_i, 40, 20, 1, BORDER_ZERO);
}

SUITE_BETWEEN("lab6", setup, teardown)
