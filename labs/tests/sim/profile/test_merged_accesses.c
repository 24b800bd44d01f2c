/* Neighbouring accesses become one, as in the machine code of nvcc 13.0. Each test lists what a
 * lane accesses and checks what is left. */
#include "test_suite.h"

#include "profile/merged_accesses.h"
#include "sim/marks.h"

enum { WINDOW = 10, LOOP = 5 };
static const uint64_t from = 0x10000, to = 0x20000,
                      global = 0x100000; /* global: a multiple of 16 */

static struct lane_stream stream;
static struct access_tags tags;

static void set_up(void) {
    stream.code_count = stream.address_count = 0;
    tags.count = 0;
}

static void untagged(uint64_t address, unsigned width, bool store) {
    uint64_t code = event_access(100 + (uint32_t)stream.code_count, width, store, 0);
    ck_assert(lane_stream_access(&stream, code, address));
}

static void access_in(unsigned window, unsigned kind, unsigned aligned, uint64_t address,
                      unsigned width) {
    struct access_tag tag = {address, SIM_TAG(window, kind, aligned), stream.code_count};
    ck_assert(access_tags_add(&tags, &tag));
    untagged(address, width, kind >= SIM_TAG_SHARED_STORE);
}

static void shared(unsigned offset) {
    access_in(WINDOW, SIM_TAG_SHARED, 16, from + offset, 4);
}

static void field(unsigned offset, unsigned width, unsigned aligned) {
    access_in(WINDOW, SIM_TAG_GLOBAL, aligned, global + offset, width);
}

static void mark(unsigned kind, unsigned how, unsigned number) {
    ck_assert(lane_stream_mark(&stream, SIM_MARK(kind, how, number)));
}

/* Merges, and checks the accesses that are left: pairs of an offset to `base` and a width. */
static void expect_at(uint64_t base, unsigned count, const unsigned (*expected)[2]) {
    unsigned found = 0;
    merge_accesses(&stream, &tags, from, to);
    for (size_t i = 0; i < stream.code_count; i++) {
        if (SIM_IS_MARK(stream.codes[i])) {
            continue;
        }
        ck_assert_uint_lt(found, count);
        ck_assert_uint_eq(stream.addresses[found] - base, expected[found][0]);
        ck_assert_uint_eq(event_width(stream.codes[i]), expected[found][1]);
        found++;
    }
    ck_assert_uint_eq(found, count);
    ck_assert_uint_eq(stream.address_count, count);
    ck_assert_uint_eq(tags.count, 0);
    set_up();
}

#define EXPECT(base, ...)                                                                          \
    do {                                                                                           \
        const unsigned expected_[][2] = {__VA_ARGS__};                                             \
        expect_at(base, sizeof expected_ / sizeof *expected_, expected_);                          \
    } while (0)

TEST(words_that_are_no_aligned_pair_stay) {
    shared(4), shared(8);
    EXPECT(from, {4, 4}, {8, 4});
    shared(0), shared(8);
    EXPECT(from, {0, 4}, {8, 4});
    shared(0), shared(12);
    EXPECT(from, {0, 4}, {12, 4});
}

TEST(no_more_than_is_known_of_the_address) {
    for (unsigned i = 0; i < 4; i++) {
        access_in(WINDOW, SIM_TAG_SHARED, 8, from + 4 * i, 4);
    }
    EXPECT(from, {0, 8}, {8, 8});
    for (unsigned i = 0; i < 2; i++) {
        access_in(WINDOW, SIM_TAG_SHARED, 16, from + 8 * i, 8);
    }
    EXPECT(from, {0, 16});
    untagged(from, 4, false), untagged(from + 4, 4, false);
    EXPECT(from, {0, 4}, {4, 4});
    for (unsigned i = 0; i < 4; i++) { /* its assembler merges no bytes */
        access_in(WINDOW, SIM_TAG_SHARED, 16, from + i, 1);
    }
    EXPECT(from, {0, 1}, {1, 1}, {2, 1}, {3, 1});
}

TEST(fields_in_global_memory) {
    field(0, 4, 16), field(4, 4, 16), field(8, 4, 16);
    EXPECT(global, {0, 16});
    field(4, 4, 16), field(8, 4, 16), field(12, 4, 16); /* the first is not among them */
    EXPECT(global, {4, 4}, {8, 8});
    field(0, 2, 4), field(2, 2, 4);
    EXPECT(global, {0, 4});
    field(0, 4, 4), field(4, 4, 4);
    EXPECT(global, {0, 4}, {4, 4});
}

TEST(small_fields_are_read_with_their_gaps) {
    field(0, 1, 4), field(3, 1, 4);
    EXPECT(global, {0, 4});
    field(0, 1, 4), field(1, 1, 4);
    EXPECT(global, {0, 2});
    field(1, 1, 4), field(2, 1, 4), field(3, 1, 4);
    EXPECT(global, {1, 1}, {2, 2});
    field(1, 1, 4), field(3, 1, 4);
    EXPECT(global, {1, 1}, {3, 1});
    field(0, 2, 8), field(4, 2, 8);
    EXPECT(global, {0, 8});
}

TEST(stores_have_no_gaps) {
    for (unsigned i = 0; i < 3; i++) {
        access_in(WINDOW, SIM_TAG_GLOBAL_STORE, 16, global + 4 * i, 4);
    }
    EXPECT(global, {0, 8}, {8, 4});
    for (unsigned i = 0; i < 4; i++) {
        access_in(WINDOW, SIM_TAG_GLOBAL_STORE, 4, global + i, 1);
    }
    EXPECT(global, {0, 4});
    access_in(WINDOW, SIM_TAG_SHARED_STORE, 8, from, 4);
    untagged(global, 4, false);
    access_in(WINDOW, SIM_TAG_SHARED_STORE, 8, from + 4, 4);
    EXPECT(from, {0, 8}, {(unsigned)(0x100000 - 0x10000), 4});
}

TEST(a_store_to_the_same_space_comes_between) {
    shared(0), untagged(from + 0x100, 4, true), shared(4);
    EXPECT(from, {0, 4}, {0x100, 4}, {4, 4});
    shared(0), untagged(global, 4, true), shared(4);
    EXPECT(from, {0, 8}, {(unsigned)(0x100000 - 0x10000), 4});
    field(0, 4, 8), untagged(global + 64, 4, true), field(4, 4, 8);
    EXPECT(global, {0, 4}, {64, 4}, {4, 4});
    access_in(WINDOW, SIM_TAG_READ_ONLY, 8, global, 4);
    untagged(global + 64, 4, true);
    access_in(WINDOW, SIM_TAG_READ_ONLY, 8, global + 4, 4);
    EXPECT(global, {0, 8}, {64, 4});
    access_in(WINDOW, SIM_TAG_GLOBAL_STORE, 8, global, 4);
    untagged(global + 64, 4, false);
    access_in(WINDOW, SIM_TAG_GLOBAL_STORE, 8, global + 4, 4);
    EXPECT(global, {0, 4}, {64, 4}, {4, 4});
}

TEST(windows_are_separate) {
    access_in(WINDOW, SIM_TAG_SHARED, 16, from, 4);
    access_in(WINDOW + 1, SIM_TAG_SHARED, 16, from + 4, 4);
    EXPECT(from, {0, 4}, {4, 4});
    shared(0), mark(SIM_MARK_LOOP, 0, LOOP), shared(4); /* a round of a loop around them */
    EXPECT(from, {0, 4}, {4, 4});
    shared(0), mark(SIM_MARK_LOOP, 0, WINDOW + 1), shared(4); /* of one that is unrolled */
    EXPECT(from, {0, 8});
    shared(0), mark(SIM_MARK_RETURN, 0, 1), shared(4);
    EXPECT(from, {0, 4}, {4, 4});
}

SUITE_BETWEEN("sim: merged accesses", set_up, NULL)
