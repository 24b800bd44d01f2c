/* Where the loops begin that nvcc makes of one loop: of copies of 16, 8 or 4 rounds, and one for
 * the rounds that are left over. Each test passes a number of rounds of a loop and checks which of
 * them begin a loop. */
#include "test_suite.h"

#include "profile/unrolled_loops.h"
#include "profile/warp_replay.h"
#include "sim/marks.h"

enum { MOST = 400, LOOP = 5 };

static uint64_t events[MOST];
static size_t count;

static void set_up(void) {
    count = 0;
}

static void add(uint64_t event) {
    ck_assert_uint_lt(count, MOST);
    events[count++] = event;
}

static void rounds(unsigned how, int number) {
    for (int i = 0; i < number; i++) {
        add(SIM_MARK(SIM_MARK_LOOP, how, LOOP));
        add(event_access(100, 4, false, 0));
    }
}

/* In which rounds of the loop another copy begins, from 0 on; at most `most` of them. */
static int beginnings(int *at, int most) {
    int found = 0, round = 0;
    for (size_t i = 0; i < count; i++) {
        if ((events[i] & ~(UINT64_C(0xffff) << 32)) == SIM_MARK(SIM_MARK_LOOP, 0, LOOP)) {
            if (events[i] >> 32 & UNROLLED_COPIES && found < most) {
                at[found++] = round;
            }
            round++;
        }
    }
    return found;
}

static void expect(unsigned how, int number, int expected, const int *first) {
    int at[8];
    count = 0;
    rounds(how, number);
    number_unrolled(events, count);
    ck_assert_int_eq(beginnings(at, 8), expected);
    for (int i = 0; i < expected; i++) {
        ck_assert_int_eq(at[i], first[i]);
    }
}

#define FIRST(...)                                                                                 \
    (const int[]) {                                                                                \
        __VA_ARGS__                                                                                \
    }
#define FOUR SIM_UNROLLED

TEST(two_rounds_at_a_time_leave_one) {
    expect(FOUR | SIM_BY_TWO, 6, 1, FIRST(0));
    expect(FOUR | SIM_BY_TWO, 7, 1, FIRST(1));
    expect(FOUR | SIM_BY_TWO | SIM_REMAINDER_LAST, 7, 2, FIRST(0, 6));
}

TEST(other_loops_are_left_alone) {
    expect(0, 40, 0, FIRST(0));
    expect(SIM_REMAINDER_LAST | SIM_COUNTED, 40, 0, FIRST(0));
}

/* Statements of its rounds belong to the loop; it ends at its mark, or when another one begins. */
TEST(a_loop_ends_where_its_marks_end) {
    size_t number;
    for (int i = 0; i < 6; i++) {
        rounds(FOUR, 1);
        add(SIM_MARK(SIM_MARK_ARM, 1, LOOP + 1));
        add(SIM_MARK(SIM_MARK_END, 0, LOOP + 1));
    }
    size_t end = count;
    add(SIM_MARK(SIM_MARK_END, 0, LOOP));
    rounds(FOUR, 5);
    ck_assert_uint_eq(unrolled_rounds(events, count, &number), end);
    ck_assert_uint_eq(number, 6);
    int at[8];
    number_unrolled(events, count);
    ck_assert_int_eq(beginnings(at, 8), 2); /* of the six rounds, and of the five after them */
    ck_assert_int_eq(at[0], 2);
    ck_assert_int_eq(at[1], 7);
}

TEST(an_outer_loop_begins_it_anew) {
    size_t number;
    rounds(FOUR, 5);
    size_t end = count;
    add(SIM_MARK(SIM_MARK_LOOP, 0, LOOP - 1));
    rounds(FOUR, 4);
    ck_assert_uint_eq(unrolled_rounds(events, count, &number), end);
    ck_assert_uint_eq(number, 5);
}

SUITE_BETWEEN("sim: unrolled loops", set_up, NULL)
