/* Check suite of labs/runtime/runner/instructions.c: what a newer instruction is, and what is seen
 * of a function that executes some. */
#include "test_suite.h"

#include "runner/instructions.h"

#include "evidence/evidence.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* ---------------------------------------------------------------- encodings */

static const struct {
    const char *text;
    unsigned char code[8];
    int bits;
    bool is_newer; /* than SSSE3 */
} encodings[] = {
    {"pshufb (%r8),%xmm9", {0x66, 0x45, 0x0f, 0x38, 0x00, 0x08}, 0, false},
    {"pabsd %xmm1,%xmm2", {0x66, 0x0f, 0x38, 0x1e, 0xd1}, 0, false},
    {"palignr $4,%xmm1,%xmm2", {0x66, 0x0f, 0x3a, 0x0f, 0xd1, 0x04}, 0, false},
    {"rep bsf %eax,%ecx", {0xf3, 0x0f, 0xbc, 0xc8}, 0, false},
    {"pmulld %xmm1,%xmm2", {0x66, 0x0f, 0x38, 0x40, 0xd1}, 0, true},
    {"pmulld %xmm9,%xmm2", {0x66, 0x41, 0x0f, 0x38, 0x40, 0xd1}, 0, true},
    {"pblendw $3,%xmm1,%xmm2", {0x66, 0x0f, 0x3a, 0x0e, 0xd1, 0x03}, 0, true},
    {"pcmpgtq %xmm1,%xmm2", {0x66, 0x0f, 0x38, 0x37, 0xd1}, 0, true},
    {"crc32b %al,%ecx", {0xf2, 0x0f, 0x38, 0xf0, 0xc8}, 0, true},
    {"popcnt %rax,%rcx", {0xf3, 0x48, 0x0f, 0xb8, 0xc8}, 0, true},
    {"paddd %xmm1,%xmm2", {0x66, 0x0f, 0xfe, 0xd1}, 0, false},
    {"pshufb %xmm1,%xmm2", {0x66, 0x0f, 0x38, 0x00, 0xd1}, 0, false},
    {"ret", {0xc3}, 0, false},
    {"vpaddd %xmm1,%xmm2,%xmm3", {0xc5, 0xe9, 0xfe, 0xd9}, 128, true},
    {"vpaddd %ymm1,%ymm2,%ymm3", {0xc5, 0xed, 0xfe, 0xd9}, 256, true},
    {"vpshufb %ymm1,%ymm2,%ymm3", {0xc4, 0xe2, 0x6d, 0x00, 0xd9}, 256, true},
    {"vpshufb %xmm1,%xmm2,%xmm3", {0xc4, 0xe2, 0x69, 0x00, 0xd9}, 128, true},
    {"vpaddd %fs:(%rax),%ymm2,%ymm3", {0x64, 0xc5, 0xed, 0xfe, 0x18}, 256, true},
    {"vpaddd (%eax),%ymm2,%ymm3", {0x67, 0xc5, 0xed, 0xfe, 0x18}, 256, true},
    {"vzeroupper", {0xc5, 0xf8, 0x77}, 128, true},
    {"vpaddd %zmm1,%zmm2,%zmm3", {0x62, 0xf1, 0x6d, 0x48, 0xfe, 0xd9}, 512, true},
    {"vpaddd %ymm17,%ymm2,%ymm3", {0x62, 0xb1, 0x6d, 0x28, 0xfe, 0xd9}, 256, true},
    {"andn %eax,%ebx,%ecx", {0xc4, 0xe2, 0x60, 0xf2, 0xc8}, 0, true},
    {"shlx %eax,%ebx,%ecx", {0xc4, 0xe2, 0x79, 0xf7, 0xcb}, 0, true},
    {"pext %eax,%ebx,%ecx", {0xc4, 0xe2, 0x62, 0xf5, 0xc8}, 0, true},
    {"rorx $3,%eax,%ebx", {0xc4, 0xe3, 0x7b, 0xf0, 0xd8, 0x03}, 0, true},
};

static const struct {
    const char *text;
    unsigned char code[8];
    bool multiplies;
} products[] = {
    {"imul %eax,%ecx", {0x0f, 0xaf, 0xc8}, true},
    {"imul $3,%eax,%ecx", {0x6b, 0xc8, 0x03}, true},
    {"mul %rcx", {0x48, 0xf7, 0xe1}, true},
    {"not %ecx", {0xf7, 0xd1}, false},
    {"div %ecx", {0xf7, 0xf1}, false},
    {"pmaddwd %xmm1,%xmm2", {0x66, 0x0f, 0xf5, 0xd1}, true},
    {"pmulld %xmm9,%xmm2", {0x66, 0x41, 0x0f, 0x38, 0x40, 0xd1}, true},
    {"vpmaddwd %ymm1,%ymm2,%ymm3", {0xc5, 0xed, 0xf5, 0xd9}, true},
    {"vpmaddubsw %ymm1,%ymm2,%ymm3", {0xc4, 0xe2, 0x6d, 0x04, 0xd9}, true},
    {"vfmadd231ps %ymm1,%ymm2,%ymm3", {0xc4, 0xe2, 0x6d, 0xb8, 0xd9}, true},
    {"vpmaddwd %zmm1,%zmm2,%zmm3", {0x62, 0xf1, 0x6d, 0x48, 0xf5, 0xd9}, true},
    {"vpaddd %ymm1,%ymm2,%ymm3", {0xc5, 0xed, 0xfe, 0xd9}, false},
    {"vpshufb %ymm1,%ymm2,%ymm3", {0xc4, 0xe2, 0x6d, 0x00, 0xd9}, false},
    {"pext %eax,%ebx,%ecx", {0xc4, 0xe2, 0x62, 0xf5, 0xc8}, false},
    {"palignr $4,%xmm1,%xmm2", {0x66, 0x0f, 0x3a, 0x0f, 0xd1, 0x04}, false},
    {"ret", {0xc3}, false},
};

LOOP_TEST(a_multiplication_is_known_by_its_first_bytes, 0, sizeof products / sizeof *products) {
    ck_assert_msg(instructions_multiplies(products[_i].code) == products[_i].multiplies, "%s",
                  products[_i].text);
}

LOOP_TEST(an_instruction_is_known_by_its_first_bytes, 0, sizeof encodings / sizeof *encodings) {
    ck_assert_msg(instructions_avx_bits(encodings[_i].code) == encodings[_i].bits, "%s",
                  encodings[_i].text);
    ck_assert_msg(instructions_is_newer(encodings[_i].code) == encodings[_i].is_newer, "%s",
                  encodings[_i].text);
}

/* ---------------------------------------------------------------- what is seen */

#if defined(__x86_64__)

static char record[1 << 12];

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

/* The function under test; a processor without AVX2 skips it. */
__attribute__((noinline)) static void three_times(void) {
    for (volatile int i = 0; i < 3; i++) { /* volatile: it is not unrolled */
        __asm__ volatile("vpxor %%ymm1, %%ymm1, %%ymm1\n\tvpxor %%xmm2, %%xmm2, %%xmm2"
                         :
                         :
                         : "xmm1", "xmm2");
    }
}

TEST(executions_are_counted_by_address) {
    if (!__builtin_cpu_supports("avx2")) {
        return;
    }
    instructions_begin(NULL, 0);
    three_times();
    instructions_end();
    const char *const text = read_record();
    ck_assert_ptr_nonnull(strstr(text, "\"bits\":256,\"executed\":3,"));
    ck_assert_ptr_nonnull(strstr(text, "\"bits\":128,\"executed\":3,"));
    ck_assert_ptr_null(strstr(text, "\"executed\":1,"));
}

TEST(what_follows_is_not_watched) {
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

TEST(nobody_asks) {
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
LOOP_TEST(who_comes_to_an_array_is_watched, 0, 2) {
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
    ck_assert_ptr_nonnull(strstr(read_record(), "\"bits\":256"));
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
TEST(what_works_on_a_copy_is_watched_in_a_further_call) {
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
    ck_assert_ptr_nonnull(strstr(read_record(), "\"bits\":256"));
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
