/* Data races. Each test lists what threads do, in the order in which the simulator would run them,
 * and asks which access races with an earlier one. */
#include "test_suite.h"

#include <string.h>

#include "check/race_time.h"
#include "check/racecheck.h"

static struct shadow_cell cell;

/* Accesses of the running thread to one word; program counters tell them apart. */
static struct race in_shared(enum race_access how, uint32_t pc) {
    return race_access(&cell, 1, how, pc, true);
}

static struct race in_global(enum race_access how, uint32_t pc) {
    return race_access(&cell, 1, how, pc, false);
}

static void ck_race(struct race race, uint32_t other) {
    ck_assert_uint_ne(race.other.segment, 0);
    ck_assert_uint_eq(race.other.pc & SHADOW_PC, other);
}

static void ck_no_race(struct race race) {
    ck_assert_uint_eq(race.other.segment, 0);
}

static void begin(void) {
    memset(&cell, 0, sizeof cell);
    race_launch();
    race_block();
}

TEST(race_with_an_older_reader_is_found) {
    begin();
    race_thread(0);
    ck_no_race(in_shared(RACE_LOAD, 1));
    race_thread(40); /* of another warp */
    ck_no_race(in_shared(RACE_LOAD, 2));
    race_thread(41);
    ck_no_race(in_shared(RACE_LOAD, 3));
    race_warp_barrier(32, UINT32_MAX); /* lanes 40 and 41 have met; thread 0 was not there */
    race_thread(41);
    ck_race(in_shared(RACE_STORE, 4), 1);
}

TEST(a_warp_barrier_orders_its_lanes_only) {
    begin();
    race_thread(3);
    ck_no_race(in_shared(RACE_STORE, 1));
    race_thread(4);
    ck_race(in_shared(RACE_LOAD, 2), 1); /* the same warp, and nothing between */

    begin();
    race_thread(3);
    ck_no_race(in_shared(RACE_STORE, 1));
    race_warp_barrier(0, 0x0000000fu); /* lanes 0 to 3 */
    race_thread(2);
    ck_no_race(in_shared(RACE_LOAD, 2));
    race_thread(4);
    ck_race(in_shared(RACE_LOAD, 3), 1);

    begin();
    race_thread(3);
    ck_no_race(in_shared(RACE_STORE, 1));
    race_warp_barrier(0, UINT32_MAX);
    race_thread(31);
    ck_no_race(in_shared(RACE_LOAD, 2));
    race_thread(32);
    ck_race(in_shared(RACE_LOAD, 3), 1);
}

TEST(shared_memory_is_new_in_every_block) {
    begin();
    race_thread(0);
    ck_no_race(in_shared(RACE_STORE, 1));
    race_block();
    race_thread(1);
    ck_no_race(in_shared(RACE_LOAD, 2));
}

TEST(speculative_read_before_compare_and_swap_is_no_race) {
    begin();
    race_thread(0);
    ck_no_race(in_global(RACE_LOAD, 1));
    ck_no_race(in_global(RACE_COMPARE, 2));
    race_thread(1);
    ck_no_race(in_global(RACE_ATOMIC, 3));

    begin();
    race_thread(0);
    ck_no_race(in_global(RACE_LOAD, 1));
    race_thread(1);
    ck_race(in_global(RACE_COMPARE, 2), 1); /* thread 0 compared nothing */

    begin();
    race_thread(0);
    ck_no_race(in_global(RACE_LOAD, 1));
    race_thread(0); /* after a shuffle, say: the read was for something else */
    ck_no_race(in_global(RACE_COMPARE, 2));
    race_thread(1);
    ck_race(in_global(RACE_COMPARE, 2), 1);
}

/* Block 0 writes and publishes, with or without a fence; block 1 draws a ticket and reads. */
static struct race after_ticket(bool fence, bool ticket) {
    static int counter;
    begin();
    race_thread(0);
    ck_no_race(in_global(RACE_STORE, 1));
    if (fence) {
        race_fence(false);
    }
    race_atomic(&counter, RACE_ATOMIC, false);
    race_block();
    race_thread(0);
    race_fence(false);
    if (ticket) {
        race_atomic(&counter, RACE_ATOMIC, false);
    }
    return in_global(RACE_LOAD, 2);
}

TEST(a_fence_and_an_atomic_order_blocks) {
    ck_no_race(after_ticket(true, true));
    ck_race(after_ticket(false, true), 1);
    ck_race(after_ticket(true, false), 1);
}

TEST(cell_identifies_block_and_thread) {
    begin();
    race_thread(7);
    ck_no_race(in_global(RACE_STORE, 1));
    struct shadow_event first = cell.write;
    unsigned thread;
    uint64_t block;
    ck_assert(race_thread_of(first, &thread, &block));
    ck_assert_uint_eq(thread, 7);
    ck_assert_uint_eq(block, 0);
    race_block();
    race_thread(9);
    ck_race(in_global(RACE_STORE, 2), 1);
    ck_assert(!race_thread_of(first, &thread, &block));
    ck_assert_uint_eq(block, 0);
    ck_assert(race_thread_of(cell.write, &thread, &block));
    ck_assert_uint_eq(thread, 9);
    ck_assert_uint_eq(block, 1);
}

static unsigned random_below(unsigned limit) {
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((state >> 33) % limit);
}

/* One access of the running thread to `quick`, which the inline functions may decide, and to
 * `full`, which race_access() decides alone. */
static void ck_same_answer(struct shadow_cell *quick, struct shadow_cell *full, bool one_block) {
    enum race_access how = (enum race_access)random_below(4);
    uint32_t pc = 1 + random_below(1000);
    bool changes = random_below(2);
    uint32_t settled = one_block ? race_time.barrier_first : race_time.launch_first;
    struct race race = {.other.segment = 0};
    bool decided = how == RACE_LOAD    ? race_quick_load(quick, settled, pc)
                   : how == RACE_STORE ? race_quick_store(quick, settled, pc)
                                       : false;
    if (!decided) {
        race = race_access(quick, 1, how, pc, one_block);
    }
    struct race expected = race_access(full, 1, how, pc, one_block);
    ck_assert_uint_eq(race.other.segment, expected.other.segment);
    ck_assert_uint_eq(race.other.pc, expected.other.pc);
    ck_assert_int_eq(race.same_value, expected.same_value);
    if (how == RACE_STORE && changes) {
        race_changed(full, 1);
        if (!decided && race_may_change(quick, 1)) {
            race_changed(quick, 1);
        }
    }
}

TEST(fast_path_equals_the_full_check) {
    unsigned decided_with[2] = {0, 0};
    for (int round = 0; round < 4000; round++) {
        struct shadow_cell quick[3], full[3];
        memset(quick, 0, sizeof quick);
        memset(full, 0, sizeof full);
        bool one_block = round & 1;
        unsigned threads = 1 + random_below(70);
        race_launch();
        race_block();
        race_thread(0);
        for (int step = 0; step < 60; step++) {
            unsigned what = random_below(24), t = random_below(threads);
            if (what == 0) {
                race_launch();
                race_block();
            } else if (what == 1) {
                race_block();
            } else if (what <= 3) {
                race_barrier();
            } else if (what == 4) {
                race_warp_barrier(t / 32 * 32, random_below(2) ? UINT32_MAX : random_below(65536));
            }
            if (what <= 10) {
                race_thread(t);
            }
            unsigned i = random_below(3);
            ck_same_answer(&quick[i], &full[i], one_block);
            decided_with[one_block] += race_time.quiet != UINT32_MAX;
        }
    }
    ck_assert_uint_gt(decided_with[0], 1000);
    ck_assert_uint_gt(decided_with[1], 1000);
}

SUITE("sim: racecheck")
