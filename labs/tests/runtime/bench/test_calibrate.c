/* Check suite of labs/runtime/bench/clock.c and calibrate.c. No test asks for a speed: the machine
 * that runs them may be busy. */
#include "bench/calibrate.h"
#include "bench/clock.h"
#include "test_suite.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

LOOP_TEST(clocks_go_forward, 0, 3) {
    uint64_t (*const clocks[])(void) = {clock_ns, clock_process_ns, clock_thread_ns};
    const uint64_t first = clocks[_i]();
    uint64_t last = first;
    for (int i = 0; i < 100000; i++) {
        const uint64_t now = clocks[_i]();
        ck_assert_uint_ge(now, last);
        last = now;
    }
    ck_assert_uint_gt(last, first);
}

/* What makes processor time fit for a busy machine: waiting is not in it. */
TEST(sleep_is_on_the_wall_only) {
    const uint64_t wall = clock_ns(), process = clock_process_ns(), thread = clock_thread_ns();
    usleep(50000);
    ck_assert_uint_ge(clock_ns() - wall, 50000000);
    ck_assert_uint_lt(clock_process_ns() - process, 25000000);
    ck_assert_uint_lt(clock_thread_ns() - thread, 25000000);
}

/* Below 10 million a second the work was interpreted; above 10^13 it was left out. */
TEST(multiply_adds_are_made) {
    const double rate = calibrate_mac_rate();
    ck_assert_double_gt(rate, 1e7);
    ck_assert_double_lt(rate, 1e13);
}

TEST(copy_copies_and_takes_time) {
    const size_t bytes = (size_t)1 << 22;
    unsigned char *from = malloc(bytes), *to = calloc(bytes, 1);
    ck_assert(from && to);
    memset(from, 0x5a, bytes);
    const uint64_t ns = calibrate_copy_ns(to, bytes, from, bytes);
    ck_assert_int_eq(memcmp(to, from, bytes), 0);
    ck_assert_uint_gt(ns, bytes / 1000); /* 1 TB/s */
    ck_assert_uint_gt(calibrate_copy_ns(to, 8, from, bytes), bytes / 1000);
    ck_assert_uint_gt(calibrate_copy_ns(to, bytes, from, 8), bytes / 1000);
    ck_assert_uint_eq(to[bytes - 1], 0);
    free(from);
    free(to);
}

/* The team's work is as long as one thread's, wherever it runs, and no wall clock is shorter. */
LOOP_TEST(team_works_at_least_as_long_as_each_thread, 1, 4) {
    const struct calibration seen = calibrate_threads(_i);
    ck_assert_uint_gt(seen.busy_ns, 1000);
    ck_assert_uint_ge(seen.wall_ns + 1000, seen.busy_ns);
}

/* More threads than cores stand for another program that wants them. */
TEST(a_disturbance_shows) {
    const int threads = 8 * (int)sysconf(_SC_NPROCESSORS_ONLN);
    const struct calibration seen = calibrate_threads(threads);
    ck_assert_uint_gt(seen.wall_ns, 2 * seen.busy_ns);
}

SUITE("calibrate")
