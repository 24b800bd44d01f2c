/* The cost model against Nsight Compute: it must give every measured pattern exactly. */
#include "test_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/access_cost.h"

#define PATTERNS "labs/studies/nsight/patterns.csv" /* tests run from the project's root */

static struct warp_access every_lane(unsigned width, uint64_t base, uint64_t stride) {
    struct warp_access a = {.active = UINT32_MAX, .width = width};
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        a.address[lane] = base + lane * stride;
    }
    return a;
}

/* Parses "0 4 -1 ..." into addresses above `base`; -1 is an inactive lane. */
static struct warp_access from_offsets(unsigned width, uint64_t base, char *offsets) {
    struct warp_access a = {.active = 0, .width = width};
    char *place = offsets;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        long offset = strtol(place, &place, 10);
        if (offset >= 0) {
            a.active |= 1u << lane;
            a.address[lane] = base + (uint64_t)offset;
        }
    }
    return a;
}

TEST(every_measured_pattern) {
    FILE *file = fopen(PATTERNS, "r");
    ck_assert_msg(file != NULL, "run from the project's root: %s is not here", PATTERNS);
    char line[2048];
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file)); /* the header */
    int rows = 0;
    while (fgets(line, sizeof line, file)) {
        /* id,space,width,lane_byte_offsets,requests,sectors,wavefronts; the last 2 may be empty */
        char *fields[7] = {NULL};
        char *rest = line;
        for (int i = 0; i < 7; i++) {
            fields[i] = strsep(&rest, ",\n");
        }
        bool load = strstr(fields[1], "load") != NULL;
        unsigned width = (unsigned)atoi(fields[2]);
        if (strstr(fields[1], "shared")) {
            struct warp_access a = from_offsets(width, 1024, fields[3]);
            ck_assert_msg(cost_wavefronts(&a, load) == (unsigned)atoi(fields[6]),
                          "pattern %s: %u wavefronts, ncu says %s", fields[0],
                          cost_wavefronts(&a, load), fields[6]);
        } else {
            struct warp_access a = from_offsets(width, 256, fields[3]);
            ck_assert_msg(cost_sectors(&a) == (unsigned)atoi(fields[5]),
                          "pattern %s: %u sectors, ncu says %s", fields[0], cost_sectors(&a),
                          fields[5]);
        }
        rows++;
    }
    fclose(file);
    ck_assert_int_eq(rows, 144);
}

TEST(a_column_of_a_32_wide_tile_conflicts_32_fold_and_padding_cures_it) {
    struct warp_access column = every_lane(4, 0, 32 * 4), padded = every_lane(4, 0, 33 * 4);
    ck_assert_uint_eq(cost_wavefronts(&column, true), 32);
    ck_assert_uint_eq(cost_wavefronts(&padded, true), 1);
    ck_assert_uint_eq(cost_ideal_wavefronts(&column, true), 1);
}

/* As constants.csv and counters.csv of labs/studies/predict/h200 show of an H200. */
TEST(a_pass_through_the_l1_cache_is_four_sectors_or_one_line) {
    const struct {
        unsigned width;
        uint64_t base, stride;
        unsigned wavefronts;
    } of[] = {{4, 4096, 4, 1},  {4, 4100, 4, 1},   {4, 4096, 0, 1}, {4, 4096, 16, 4},
              {4, 4096, 32, 8}, {16, 4096, 16, 4}, {8, 4096, 8, 2}, {4, 4096, 128, 31}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        const struct warp_access a = every_lane(of[i].width, of[i].base, of[i].stride);
        ck_assert_uint_eq(cost_l1_wavefronts(&a, cost_sectors(&a)), of[i].wavefronts);
    }
}

TEST(lanes_at_one_address_are_counted) {
    struct warp_access a = every_lane(4, 4096, 0);
    ck_assert_uint_eq(cost_same_address(&a), 32);
    a = every_lane(4, 4096, 4);
    ck_assert_uint_eq(cost_same_address(&a), 1);
    a.address[31] = a.address[7];
    ck_assert_uint_eq(cost_same_address(&a), 2);
    a.active = 1;
    ck_assert_uint_eq(cost_same_address(&a), 1);
}

TEST(constant_reads_are_served_word_by_word) {
    struct warp_access a = every_lane(4, 0, 0);
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        a.address[lane] = 4 * (lane % 4);
    }
    ck_assert_uint_eq(cost_constant_words(&a), 4);
}

TEST(a_double_or_a_vector_of_constants_is_one_word) {
    struct warp_access same = every_lane(8, 4096, 0), four = every_lane(16, 4096, 0);
    ck_assert_uint_eq(cost_constant_words(&same), 1);
    ck_assert_uint_eq(cost_constant_words(&four), 1);
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        four.address[lane] = 16 * (lane % 4);
    }
    ck_assert_uint_eq(cost_constant_words(&four), 4);
    same.active = 1;
    ck_assert_uint_eq(cost_constant_words(&same), 1);
}

/* A device cannot do this. A program that does is reported, and must not break the counters. */
TEST(vectors_at_odd_addresses_touch_one_word_more) {
    struct warp_access a = every_lane(16, 4098, 64);
    ck_assert_uint_eq(cost_constant_words(&a), 5 * WARP_LANES / 4);
    ck_assert_uint_eq(cost_sectors(&a), WARP_LANES);
}

SUITE("sim: access cost")
