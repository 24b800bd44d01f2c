/* Check suite of labs/runtime/runner/instructions.c: what is seen of a function. */
#include "test_suite.h"

#include "runner/instructions.h"

#include "evidence/evidence.h"

#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* ---------------------------------------------------------------- what is seen */

#if defined(__x86_64__)

static char record[1 << 20];

/* In place of the runtime's: keeps what is reported. */
bool evidence_write(enum evidence_kind kind, const char *text, size_t length) {
    ck_assert_int_eq(kind, EVIDENCE_INSTRUCTIONS);
    ck_assert_uint_lt(length, sizeof record);
    memcpy(record, text, length);
    record[length] = '\0';
    return true;
}

static void set_up(void) {
    record[0] = '\0';
    ck_assert_int_eq(setenv("CONVLABS_INSTRUCTIONS", "1", 1), 0);
    instructions_read_option();
}

static const char *read_record(void) {
    return record;
}

/* The function under test, short in every build; a processor without AVX2 skips it. */
__attribute__((noinline, no_sanitize("address", "undefined"))) static void three_times(void) {
    for (volatile int i = 0; i < 3; i++) { /* volatile: it is not unrolled */
        __asm__ volatile("vpxor %%ymm1, %%ymm1, %%ymm1\n\tvpxor %%xmm2, %%xmm2, %%xmm2"
                         :
                         :
                         : "xmm1", "xmm2");
    }
}

/* How many of its instructions the record has that were executed so often. */
static int seen_of_three_times(long executed) {
    const uintptr_t first = (uintptr_t)three_times - _r_debug.r_map->l_addr;
    int seen = 0;
    for (const char *at = record; (at = strstr(at, "\"pc\":")) != NULL; at++) {
        unsigned long pc = 0;
        long count = 0;
        ck_assert_int_eq(sscanf(at, "\"pc\":%lu,\"executed\":%ld}", &pc, &count), 2);
        seen += pc - first < 64 && (executed == 0 || count == executed);
    }
    return seen;
}

TEST(executions_are_counted_by_address) {
    if (!__builtin_cpu_supports("avx2")) {
        return;
    }
    instructions_begin(NULL, 0);
    three_times();
    instructions_end();
    ck_assert_int_ge(seen_of_three_times(3), 2);
}

TEST(code_after_the_call_is_not_watched) {
    long stepped = 0;
    instructions_begin(NULL, 0);
    instructions_end();
    if (__builtin_cpu_supports("avx2")) {
        three_times();
    }
    ck_assert_int_eq(
        sscanf(read_record(), "{\"stepped\":%ld,\"gave_up\":false,\"sites\":[]}", &stepped), 1);
    ck_assert_int_gt(stepped, 0);
    ck_assert_int_lt(stepped, 100);
}

TEST(nothing_is_recorded_without_the_option) {
    unsetenv("CONVLABS_INSTRUCTIONS");
    instructions_read_option();
    instructions_begin(NULL, 0);
    instructions_end();
    ck_assert_str_eq(read_record(), "");
}

TEST(a_long_function_is_watched_for_a_while) {
    volatile long sum = 0;
    long stepped = 0;
    instructions_begin(NULL, 0);
    for (int i = 0; i < 10 * INSTRUCTIONS_MOST; i++) {
        sum += i;
    }
    instructions_end();
    ck_assert_int_eq(sscanf(read_record(), "{\"stepped\":%ld", &stepped), 1);
    ck_assert_int_eq(stepped, INSTRUCTIONS_MOST);
    ck_assert_int_gt(sum, 0);
}

TEST(a_long_copy_ends_the_watch) {
    enum { BYTES = 8 << 20 };
    char *const from = calloc(2, BYTES);
    void *(*volatile const copy)(void *, const void *, size_t) = memcpy; /* the library's */
    ck_assert_ptr_nonnull(from);
    instructions_begin(NULL, 0);
    copy(from + BYTES, from, BYTES);
    instructions_end();
    free(from);
    ck_assert_ptr_nonnull(strstr(read_record(), "\"gave_up\":true"));
}

/* ---------------------------------------------------------------- guarded pages */

enum { PAGE = 4096, PAGES = 64 };

/* Comes to each page of an array, and to AVX. */
static void *read_pages(void *array) {
    for (int i = 0; i < PAGES; i++) {
        (void)((volatile char *)array)[i * PAGE];
        three_times();
    }
    return NULL;
}

/* [0]: behind many instructions without AVX, or [1] in another thread. */
LOOP_TEST(instructions_that_reach_an_array_are_watched, 0, 2) {
    if (!__builtin_cpu_supports("avx2")) {
        return;
    }
    char *const array = aligned_alloc(PAGE, PAGES * PAGE);
    ck_assert_ptr_nonnull(array);
    instructions_begin(array, PAGES * PAGE);
    for (volatile int i = 0; i < INSTRUCTIONS_MOST; i++) {
    }
    if (_i == 0) {
        read_pages(array);
    } else {
        pthread_t other;
        ck_assert_int_eq(pthread_create(&other, NULL, read_pages, array), 0);
        pthread_join(other, NULL);
    }
    instructions_end();
    ck_assert_int_gt(seen_of_three_times(0), 0);
    memset(array, 1, PAGES * PAGE); /* all of it can be written again */
    free(array);
}

extern const char etext[];
#define CODE_END ((const char *)((uintptr_t)etext - 1))

/* Neither the first instructions nor all: those that run when the time has come. */
TEST(a_sample_begins_at_a_moment) {
    volatile long sum = 0;
    long stepped = 0;
    instructions_sample(CODE_END, 2000);
    for (long i = 0; i < 100000000 && !stepped; i++) {
        sum += i;
    }
    ck_assert(instructions_sampled());
    instructions_report();
    ck_assert_int_eq(sscanf(read_record(), "{\"stepped\":%ld", &stepped), 1);
    ck_assert_int_eq(stepped, INSTRUCTIONS_SAMPLED);
}

/* It would begin to step in the handler, which blocks the signal of a step: the end of the run. */
TEST(an_alarm_waits_for_the_end_of_a_step) {
    const struct itimerval often = {.it_interval = {0, 100}, .it_value = {0, 100}};
    volatile long sum = 0;
    instructions_sample(CODE_END, 1);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
    for (long i = 0; i < 30000000; i++) {
        sum += i;
    }
    ck_assert(instructions_sampled());
    ck_assert_int_gt(sum, 0);
}

TEST(a_call_that_is_over_is_not_sampled) {
    instructions_sample(CODE_END, 1000000);
    ck_assert(!instructions_sampled());
}

/* A library's function reads the whole array first: what works on its copy comes to no page. */
TEST(work_on_a_copy_is_watched_in_a_second_call) {
    if (!__builtin_cpu_supports("avx2")) {
        return;
    }
    char *const array = aligned_alloc(PAGE, PAGES * PAGE), *const copy = malloc(PAGES * PAGE);
    ck_assert(array && copy);
    int calls = 0;
    instructions_begin(array, PAGES * PAGE);
    do {
        for (volatile int i = 0; i < INSTRUCTIONS_MOST; i++) {
        }
        memcpy(copy, array, PAGES * PAGE);
        for (int i = 0; i < 20000; i++) {
            three_times();
        }
        calls++;
    } while (instructions_again(CODE_END));
    ck_assert_int_gt(calls, 2);
    ck_assert_int_gt(seen_of_three_times(0), 0);
    free(array);
    free(copy);
}

static void *count_up(void *sum) {
    for (int i = 0; i < 10000; i++) {
        ++*(volatile int *)sum;
    }
    return NULL;
}

/* A new thread inherits the trap flag, and loses it at its first step. */
TEST(another_thread_runs_on) {
    pthread_t thread;
    int sum = 0;
    instructions_begin(NULL, 0);
    const int error = pthread_create(&thread, NULL, count_up, &sum);
    pthread_join(thread, NULL);
    instructions_end();
    ck_assert_int_eq(error, 0);
    ck_assert_int_eq(sum, 10000);
    long stepped = 0;
    ck_assert_int_eq(sscanf(read_record(), "{\"stepped\":%ld", &stepped), 1);
    ck_assert_int_lt(stepped, 1000);
}

SUITE_BETWEEN("instructions", set_up, NULL)
#else
SUITE("instructions")
#endif
