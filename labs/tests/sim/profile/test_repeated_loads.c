/* What a lane loads again from shared memory, as in the machine code of nvcc 13.0. */
#include "test_suite.h"

#include "profile/repeated_loads.h"
#include "sim/marks.h"

enum { LOOP = 5, IF = 6 };
static const uint64_t from = 0x10000, to = 0x20000, global = 0x100000;
static struct lane_stream stream;

static void set_up(void) {
    stream.code_count = stream.address_count = 0;
}

static void load(uint64_t address, unsigned width) {
    ck_assert(lane_stream_access(&stream, event_access(100, width, false, 0), address));
}

static void store(uint64_t address) {
    ck_assert(lane_stream_access(&stream, event_access(100, 4, true, 0), address));
}

static void mark(unsigned kind, unsigned how, unsigned number) {
    ck_assert(lane_stream_mark(&stream, SIM_MARK(kind, how, number)));
}

static void expect(size_t accesses) {
    const size_t marks = stream.code_count - stream.address_count;
    remove_repeated_loads(&stream, from, to);
    ck_assert_uint_eq(stream.address_count, accesses);
    ck_assert_uint_eq(stream.code_count, accesses + marks);
}

TEST(outputs_share_what_they_load) {
    for (unsigned output = 0; output < 4; output++) {
        mark(SIM_MARK_LOOP, SIM_WHOLE, LOOP);
        mark(SIM_MARK_ARM, 1, IF);
        for (unsigned row = 0; row < 17; row++) {
            load(from + 128 * (output + row), 4);
        }
        mark(SIM_MARK_END, 0, IF);
        store(global + 4 * output);
    }
    mark(SIM_MARK_END, 0, LOOP);
    expect(17 + 3 + 4);
}

TEST(possibly_aliased_word_is_loaded_again) {
    load(from, 4), store(from + 4), load(from, 4); /* a store to shared memory */
    mark(SIM_MARK_LOOP, SIM_UNROLLED, LOOP), load(from, 4);
    mark(SIM_MARK_LOOP, SIM_UNROLLED, LOOP), load(from, 4);
    mark(SIM_MARK_END, 0, LOOP), load(from, 4);
    load(from, 16), load(global, 4), load(global, 4);
    expect(3 + 1 + 1 + 1 + 3);
}

TEST(registers_do_not_hold_everything) {
    for (unsigned i = 0; i < 400; i++) {
        load(from + 4 * (i % 200), 4);
    }
    expect(400);
}

SUITE_BETWEEN("sim: repeated loads", set_up, NULL)
