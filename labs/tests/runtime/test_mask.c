/* Check suite of labs/runtime/mask.c. The bits are also compared with datasets/generate.py, by
 * grader/tests/datasets/test_datasets.py. */
#include "mask.h"
#include "test_suite.h"

#include <math.h>
#include <string.h>

static double sum(const float *mask, int n) {
    double total = 0;
    for (int i = 0; i < n; i++)
        total += (double)mask[i];
    return total;
}

TEST(ando_is_an_odd_gradient) {
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++)
            ck_assert(mask_ando3[3 * y + x] == -mask_ando3[3 * y + 2 - x] &&
                      mask_ando3[3 * y + x] == mask_ando3[3 * (2 - y) + x]);
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 5; x++)
            ck_assert(mask_ando5[5 * y + x] == -mask_ando5[5 * y + 4 - x] &&
                      mask_ando5[5 * y + x] == mask_ando5[5 * (4 - y) + x]);
    /* The slope of a ramp: each is calibrated to it by its author. */
    double slope3 = 0, slope5 = 0;
    for (int i = 0; i < 9; i++)
        slope3 += (double)mask_ando3[i] * (i % 3 - 1);
    for (int i = 0; i < 25; i++)
        slope5 += (double)mask_ando5[i] * (i % 5 - 2);
    ck_assert_double_eq_tol(slope3, 1.0, 2e-5);
    ck_assert_double_eq_tol(slope5, 1.0, 2e-5);
}

LOOP_TEST(gaussian_equals_its_formula, 0, MASK_MAX_RADIUS + 1) {
    static const double sigmas[] = {0.3, 1.0, 3.0, 50.0};
    float mask[MASK_MAX_SIZE];
    int r = _i;
    for (int k = 0; k < 4; k++) {
        mask_gaussian(r, sigmas[k], mask);
        int size = 2 * r + 1;
        ck_assert_double_eq_tol(sum(mask, size * size), 1.0, 1e-6);
        double middle = (double)mask[size * size / 2];
        for (int y = -r; y <= r; y++)
            for (int x = -r; x <= r; x++) {
                double want = middle * exp(-(x * x + y * y) / (2 * sigmas[k] * sigmas[k]));
                ck_assert_double_eq_tol((double)mask[(y + r) * size + x + r], want,
                                        1.3e-7 * want + 1.5e-45);
            }
    }
}

TEST(gaussian_of_tiny_sigma_is_an_impulse) {
    float mask[9];
    static const double sigmas[] = {0.01, 1e-100, 1e-300};
    for (int k = 0; k < 3; k++) {
        mask_gaussian(1, sigmas[k], mask);
        for (int i = 0; i < 9; i++)
            ck_assert(mask[i] == (i == 4 ? 1.0f : 0.0f));
    }
}

TEST(random_is_positive_normalised_and_seeded) {
    float a[169], b[169], c[169];
    mask_random(6, 3001, a);
    mask_random(6, 3001, b);
    mask_random(6, 3002, c);
    ck_assert_mem_eq(a, b, sizeof a);
    ck_assert_mem_ne(a, c, sizeof a);
    ck_assert_double_eq_tol(sum(a, 169), 1.0, 1e-6);
    int rising = 0;
    for (int i = 0; i < 169; i++) {
        ck_assert(a[i] > 0.0f && a[i] < 0.05f);
        rising += i > 0 && a[i] > a[i - 1];
    }
    ck_assert_int_gt(rising, 60);
    ck_assert_int_lt(rising, 108);
}

/* splitmix64 of seed 0 begins e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f, ... */
TEST(random_follows_splitmix64) {
    static const unsigned first[4] = {0xe220a8, 0x6e789e, 0x06c45d, 0xf88bb8};
    float mask[9];
    mask_random(1, 0, mask);
    for (int i = 1; i < 4; i++)
        ck_assert_double_eq_tol((double)mask[i] / (double)mask[0],
                                (first[i] + 1.0) / (first[0] + 1.0), 1e-6);
    mask_random(0, 12345, mask);
    ck_assert(mask[0] == 1.0f);
}

LOOP_TEST(nothing_is_written_beyond_the_mask, 0, MASK_MAX_RADIUS + 1) {
    float mask[MASK_MAX_SIZE + 1];
    memset(mask, 0xff, sizeof mask);
    int size = 2 * _i + 1;
    mask_gaussian(_i, 1.0, mask);
    ck_assert(isnan(mask[size * size]));
    mask_random(_i, 1, mask);
    ck_assert(isnan(mask[size * size]));
}

SUITE("mask")
