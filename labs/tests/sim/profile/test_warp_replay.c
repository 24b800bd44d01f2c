/* Divergent lanes reconverge after the statement that separated them: test_reconvergence.py
 * compares programs with a model. Each test here lists the runs of 32 lanes of a small program that
 * no source gives, and checks the warp instructions of their replay. */
#include "test_suite.h"

#include <stdlib.h>

#include "profile/warp_replay.h"
#include "sim/marks.h"

/* Accesses of the little programs, named by their program counters. */
enum { ENTRY = 10, HEAD = 20, BODY = 30, ELSE = 40, LATCH = 50, AFTER = 60 };

/* Statements of theirs, in the order of the source. */
enum { FIRST = 1, SECOND };

struct seen {
    uint32_t pc;
    uint32_t lanes;
};

struct trial {
    struct lane_stream streams[WARP_LANES];
    struct lane_position positions[WARP_LANES];
    struct seen seen[1024];
    int count;
};

static struct trial trial;

static void record(void *context, uint64_t code, const struct warp_access *access) {
    (void)context;
    trial.seen[trial.count++] = (struct seen){(uint32_t)code, access->active};
}

static void pass(unsigned lane, uint64_t mark) {
    ck_assert(lane_stream_mark(&trial.streams[lane], mark));
}

static void loop(unsigned lane, unsigned number) {
    pass(lane, SIM_MARK(SIM_MARK_LOOP, 0, number));
}

static void end(unsigned lane, unsigned number) {
    pass(lane, SIM_MARK(SIM_MARK_END, 0, number));
}

static void load(unsigned lane, uint32_t name) {
    ck_assert(lane_stream_access(&trial.streams[lane], event_access(name + 1, 4, false, 0),
                                 0x1000 + 4 * lane));
}

static void replay(void) {
    replay_warp(trial.streams, trial.positions, UINT32_MAX, record, NULL);
}

/* The instructions at `pc`: how many there are, and how many lanes took part in all. */
static int instructions(uint32_t block, int *lanes) {
    int count = 0;
    *lanes = 0;
    for (int i = 0; i < trial.count; i++) {
        if (trial.seen[i].pc == block + 1) {
            count++;
            *lanes += __builtin_popcount(trial.seen[i].lanes);
        }
    }
    return count;
}

static void expect(uint32_t block, int count, int lanes) {
    int found_lanes;
    int found = instructions(block, &found_lanes);
    ck_assert_msg(found == count && found_lanes == lanes,
                  "block %u: %d instructions of %d lanes in all, not %d of %d", block, found,
                  found_lanes, count, lanes);
}

static void set_up(void) {
    trial.count = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        trial.streams[lane].code_count = trial.streams[lane].address_count = 0;
        position_reset(&trial.positions[lane]);
    }
}

/* for (i = 0; i < 8; i++) { load; if ((i + lane) % 3 == 0) continue; load }, a loop without marks,
 * as a macro of a header may contain. */
TEST(an_unmarked_loop_is_followed_by_its_accesses) {
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        for (unsigned i = 0; i < 8; i++) {
            load(lane, HEAD);
            if ((i + lane) % 3 != 0) {
                load(lane, BODY);
            }
        }
        load(lane, AFTER);
    }
    replay();
    int lanes;
    ck_assert_int_eq(instructions(HEAD, &lanes), 8);
    expect(AFTER, 1, 32);
}

/* A function that returns from within its loop: its caller goes on with all lanes. It calls itself
 * more often than there are levels. */
TEST(a_function_ends_for_all_lanes) {
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        unsigned calls = 2 * POSITION_MAX_DEPTH + lane % 2;
        for (unsigned i = 0; i < calls; i++) {
            pass(lane, SIM_MARK(SIM_MARK_FUNCTION, 0, FIRST));
            loop(lane, SECOND);
        }
        for (unsigned i = 0; i < calls; i++) {
            pass(lane, SIM_MARK(SIM_MARK_RETURN, 0, FIRST));
        }
        load(lane, AFTER);
    }
    replay();
    expect(AFTER, 1, 32);
}

/* A barrier cuts the streams in the middle of a loop; positions outlive it. */
TEST(positions_outlive_a_barrier) {
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            loop(lane, FIRST);
            if (lane < 16) {
                load(lane, BODY);
            }
            load(lane, LATCH);
        }
        replay();
    }
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        end(lane, FIRST);
        load(lane, AFTER);
    }
    replay();
    expect(BODY, 4, 4 * 16);
    expect(LATCH, 4, 4 * 32);
    expect(AFTER, 1, 32);
}

/* ---- random programs: whatever the control flow, no access is lost, doubled or out of order */

static uint32_t state;

static uint32_t below(uint32_t limit) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % limit;
}

/* A graph in which every block may go to three others, and each lane walks at random. */
enum { BLOCKS = 12, STEPS = 60 };
static uint32_t next_of[BLOCKS][3];
static uint64_t expected[WARP_LANES][4 * STEPS], got[WARP_LANES][4 * STEPS];
static size_t expected_count[WARP_LANES], got_count[WARP_LANES];

static void walk(unsigned lane) {
    uint32_t block = 0;
    expected_count[lane] = got_count[lane] = 0;
    for (uint32_t steps = below(STEPS); steps > 0; steps--) {
        pass(lane, SIM_MARK(block % 6, below(3), 1 + block / 2));
        for (uint32_t i = 0; i < block % 3; i++) {
            uint64_t address = 64 * below(1000);
            uint64_t code = event_access(100 * (block + 1) + 1 + i, 4, block % 2, 0);
            ck_assert(lane_stream_access(&trial.streams[lane], code, address));
            expected[lane][expected_count[lane]++] = code * 31 + address;
        }
        block = next_of[block][below(3)];
    }
}

static void collect(void *context, uint64_t code, const struct warp_access *access) {
    (void)context;
    for (uint32_t left = access->active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        got[lane][got_count[lane]++] = code * 31 + access->address[lane];
    }
}

static void replay_at_random(uint32_t seed) {
    state = seed;
    for (int b = 0; b < BLOCKS; b++) {
        for (int k = 0; k < 3; k++) {
            next_of[b][k] = below(BLOCKS);
        }
    }
    for (int epoch = 0; epoch < 3; epoch++) { /* positions go on from one barrier to the next */
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            walk(lane);
        }
        replay_warp(trial.streams, trial.positions, UINT32_MAX, collect, NULL);
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            ck_assert_uint_eq(got_count[lane], expected_count[lane]);
            ck_assert_mem_eq(got[lane], expected[lane], got_count[lane] * sizeof **got);
        }
    }
}

TEST(nothing_is_lost_in_random_programs) {
    for (uint32_t seed = 1; seed <= 60; seed++) {
        set_up();
        replay_at_random(seed);
    }
}

SUITE_BETWEEN("sim: warp replay", set_up, NULL)
