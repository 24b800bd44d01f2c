/* The shadow of memory against a simple model: random ranges of random widths. */
#include "test_suite.h"

#include <stdbool.h>
#include <string.h>

#include "memory/shadow.h"

#define BYTES 1003 /* no multiple of a word */

static char memory[BYTES];

static uint64_t state = 1;

static unsigned random_below(unsigned limit) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((state >> 33) % limit);
}

TEST(known_bytes) {
    struct shadow *s = shadow_create(memory, BYTES, false);
    ck_assert_ptr_nonnull(s);
    bool model[BYTES] = {false};
    for (int round = 0; round < 20000; round++) {
        unsigned from = random_below(BYTES), bytes = 1 + random_below(BYTES - from);
        bytes = round % 3 ? 1 + bytes % 16 : bytes;
        bytes = from + bytes > BYTES ? BYTES - from : bytes;
        size_t expected = 0;
        for (unsigned i = from; i < from + bytes; i++) {
            expected += model[i];
        }
        ck_assert_uint_eq(shadow_written(s, memory + from, bytes), expected);
        bool known = random_below(2);
        shadow_set_written(s, memory + from, bytes, known);
        memset(model + from, known, bytes);
    }
    shadow_release(s);
}

TEST(copied_knowledge) {
    struct shadow *from = shadow_create(memory, 200, false);
    struct shadow *to = shadow_create(memory + 300, 200, false);
    shadow_set_written(from, memory + 13, 70, true);
    shadow_copy_written(to, memory + 310, from, memory + 10, 100);
    for (int i = 0; i < 200; i++) {
        ck_assert_uint_eq(shadow_written(to, memory + 300 + i, 1), i >= 13 && i < 83);
    }
    shadow_release(from);
    shadow_release(to);
}

TEST(copied_knowledge_at_any_offset) {
    enum { HALF = 400 };
    struct shadow *from = shadow_create(memory, HALF, false);
    struct shadow *to = shadow_create(memory + HALF, HALF, false);
    bool here[HALF] = {false}, there[HALF] = {false};
    for (int round = 0; round < 5000; round++) {
        unsigned at = random_below(HALF), bytes = random_below(HALF - at) + 1;
        bool known = random_below(2);
        shadow_set_written(from, memory + at, bytes, known);
        memset(here + at, known, bytes);
        unsigned source = random_below(HALF), target = random_below(HALF);
        bytes = random_below(HALF - (source > target ? source : target)) + 1;
        shadow_copy_written(to, memory + HALF + target, from, memory + source, bytes);
        memcpy(there + target, here + source, bytes);
        unsigned wrong = 0;
        for (int i = 0; i < HALF; i++) {
            wrong += shadow_written(to, memory + HALF + i, 1) != there[i];
        }
        ck_assert_uint_eq(wrong, 0);
    }
    shadow_release(from);
    shadow_release(to);
}

TEST(everything_known) {
    struct shadow *s = shadow_create(memory, BYTES, true);
    shadow_set_written(s, memory, BYTES, false); /* has no effect: there is nothing to know */
    ck_assert_uint_eq(shadow_written(s, memory, BYTES), BYTES);
    shadow_release(s);
}

TEST(words_until_a_byte_is_touched) {
    struct shadow *s = shadow_create(memory, 64, true);
    size_t count;
    struct shadow_cell *cells = shadow_cells(s, memory + 8, 16, &count);
    ck_assert_uint_eq(count, 4);
    cells[1].write.segment = 5;
    cells[2].reads[0].segment = 6;
    cells =
        shadow_cells(s, memory + 13, 1, &count); /* inside what was written: memory + 12 .. 15 */
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(cells->write.segment, 5);
    cells = shadow_cells(s, memory + 8, 16, &count);
    ck_assert_uint_eq(count, 16);
    for (int i = 0; i < 16; i++) {
        ck_assert_uint_eq(cells[i].write.segment, i / 4 == 1 ? 5 : 0);
        ck_assert_uint_eq(cells[i].reads[0].segment, i / 4 == 2 ? 6 : 0);
    }
    shadow_release(s);
}

SUITE("sim: shadow")
