/* The choice of blocks that stand for all of a grid, and the set of sectors. */
#include "test_suite.h"

#include <stdlib.h>

#include "profile/block_sample.h"
#include "profile/sector_set.h"

/* Sums `value` over the counted blocks of a grid, times their weights. */
static uint64_t sampled_sum(dim3 grid, uint64_t (*value)(uint3, dim3), uint64_t *counted) {
    uint64_t sum = 0;
    *counted = 0;
    for (unsigned z = 0; z < grid.z; z++) {
        for (unsigned y = 0; y < grid.y; y++) {
            for (unsigned x = 0; x < grid.x; x++) {
                uint3 block = {x, y, z};
                uint64_t weight = sample_weight(&block);
                *counted += weight != 0;
                sum += weight ? weight * value(block, grid) : 0;
            }
        }
    }
    ck_assert_uint_eq(sum % sample_divisor(), 0);
    return sum / sample_divisor();
}

static uint64_t exact_sum(dim3 grid, uint64_t (*value)(uint3, dim3)) {
    uint64_t sum = 0;
    for (unsigned z = 0; z < grid.z; z++) {
        for (unsigned y = 0; y < grid.y; y++) {
            for (unsigned x = 0; x < grid.x; x++) {
                sum += value((uint3){x, y, z}, grid);
            }
        }
    }
    return sum;
}

static uint64_t one(uint3 block, dim3 grid) {
    (void)block;
    (void)grid;
    return 1;
}

static unsigned from_edge(unsigned index, unsigned extent) {
    unsigned other = extent - 1 - index;
    return index < other ? index : other;
}

/* A value for each corner, edge and the interior. */
static uint64_t by_edge(uint3 b, dim3 g) {
    return 1000 + (from_edge(b.x, g.x) ? 0 : 1 + b.x % 2) + 10 * (from_edge(b.y, g.y) ? 0 : 1) +
           (b.x == g.x - 1 && b.y == g.y - 1 ? 500 : 0);
}

static const dim3 grids[] = {{1, 1, 1},   {1000, 1, 1}, {7, 7, 1},    {63, 125, 1}, {1, 400, 1},
                             {20, 3, 11}, {4, 4, 4},    {100, 90, 2}, {3, 17, 40}};

LOOP_TEST(blocks_that_differ_at_the_edges_only_sum_exactly, 0, sizeof grids / sizeof *grids) {
    static const uint64_t wanted[] = {0, 2, 9, 16, 27, 100, 256, 100000};
    dim3 grid = grids[_i];
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        uint64_t counted;
        sample_begin(&grid, wanted[i]);
        ck_assert_uint_eq(sampled_sum(grid, one, &counted), exact_sum(grid, one));
        ck_assert_uint_eq(sampled_sum(grid, by_edge, &counted), exact_sum(grid, by_edge));
        ck_assert_uint_eq(counted, sample_size());
        ck_assert(wanted[i] == 0 || wanted[i] < 27 || counted <= wanted[i]);
    }
}

LOOP_TEST(one_block_stands_for_all, 0, sizeof grids / sizeof *grids) {
    dim3 grid = grids[_i];
    uint64_t counted;
    sample_begin(&grid, 1);
    ck_assert_uint_eq(sample_size(), 1);
    ck_assert_uint_eq(sampled_sum(grid, one, &counted), exact_sum(grid, one));
    ck_assert_uint_eq(counted, 1);
    uint3 middle = {grid.x / 2, grid.y / 2, grid.z / 2};
    ck_assert_uint_eq(sample_weight(&middle), (uint64_t)grid.x * grid.y * grid.z);
}

LOOP_TEST(three_blocks_stand_for_a_long_axis_after_the_first_did_much, 0,
          sizeof grids / sizeof *grids) {
    const dim3 grid = grids[_i];
    const bool is_long =
        grid.x * grid.y * grid.z > 16 && (grid.x > 1) + (grid.y > 1) + (grid.z > 1) == 1;
    const uint3 first = {0, 0, 0};
    uint64_t counted;
    sample_begin(&grid, 16);
    const uint64_t weight = sample_weight(&first), before = sample_size();
    sample_fewer();
    ck_assert_uint_eq(sample_weight(&first), weight);
    ck_assert_uint_eq(sampled_sum(grid, one, &counted), exact_sum(grid, one));
    ck_assert_uint_eq(counted, is_long ? 3 : before);
    ck_assert_uint_eq(sample_size(), counted);
    sample_begin(&grid, 1);
    sample_fewer();
    ck_assert_uint_eq(sample_size(), 1);
}

TEST(without_a_wish_all_blocks_count) {
    dim3 grid = {63, 125, 3};
    sample_begin(&grid, 0);
    ck_assert_uint_eq(sample_size(), 63 * 125 * 3);
    ck_assert_uint_eq(sample_divisor(), 1);
}

TEST(a_square_grid_is_sampled_on_both_axes) {
    dim3 grid = {1000, 1000, 1};
    sample_begin(&grid, 256);
    ck_assert_uint_eq(sample_size(), 16 * 16);
    uint3 corner = {0, 0, 0}, edge = {5, 500, 0}, inside = {500, 500, 0}, not_one = {6, 500, 0};
    ck_assert_uint_eq(sample_weight(&corner), sample_divisor());
    ck_assert_uint_gt(sample_weight(&edge), sample_divisor());
    ck_assert_uint_gt(sample_weight(&inside), sample_weight(&edge));
    ck_assert_uint_eq(sample_weight(&not_one), 0);
}

TEST(a_sector_is_fresh_once) {
    struct sector_set set = {.pages = NULL};
    struct warp_access a = {.active = UINT32_MAX, .width = 4};
    unsigned fresh;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        a.address[lane] = 0x10010 + 4 * lane; /* not at the start of a sector: 5 of them */
    }
    ck_assert(sectors_add(&set, &a, &fresh));
    ck_assert_uint_eq(fresh, 5);
    ck_assert(sectors_add(&set, &a, &fresh));
    ck_assert_uint_eq(fresh, 0);
    a.active = 1;
    a.address[0] = 0x1001e; /* across the boundary of two sectors of the five */
    ck_assert(sectors_add(&set, &a, &fresh));
    ck_assert_uint_eq(fresh, 0);
    a.address[0] = 0x2fffe; /* and of two pages */
    ck_assert(sectors_add(&set, &a, &fresh));
    ck_assert_uint_eq(fresh, 2);
    ck_assert_uint_eq(set.count, 3);
    sectors_release(&set);
}

TEST(a_set_of_many_pages_forgets_none) {
    enum { PAGES = 20000 };
    struct sector_set set = {.pages = NULL};
    struct warp_access a = {.active = 1, .width = 16};
    unsigned fresh;
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < PAGES; i++) {
            a.address[0] = (i * 7919 % PAGES) << 12 | (i % 128) << 5;
            ck_assert(sectors_add(&set, &a, &fresh));
            ck_assert_uint_eq(fresh, round == 0);
        }
    }
    ck_assert_uint_eq(set.count, PAGES);
    ck_assert_uint_le(set.capacity, 4 * PAGES);
    sectors_release(&set);
}

SUITE("sim: block sample")
