/* Suites of Check that need no list of their tests:
 *
 *     TEST(what_it_shows) { ... }
 *     LOOP_TEST(what_it_shows, 0, 4) { ... }    runs with _i from 0 to 3
 *     SIGNAL_TEST(what_it_shows, SIGSEGV) { ... }    must end by that signal
 *     SUITE("name")                             at the end: main() */
#pragma once

#include <check.h>
#include <stddef.h>

static struct {
    const TTest *test;
    int signal, from, to;
} suite_tests[64];
static int suite_count;

static inline void suite_add(const TTest *test, int signal, int from, int to) {
    if (suite_count == sizeof suite_tests / sizeof *suite_tests) {
        __builtin_trap();
    }
    suite_tests[suite_count].test = test;
    suite_tests[suite_count].signal = signal;
    suite_tests[suite_count].from = from;
    suite_tests[suite_count++].to = to;
}

#define SUITE_TEST(name, signal, from, to)                                                         \
    static void test_##name(int _i);                                                               \
    __attribute__((constructor)) static void add_##name(void) {                                    \
        static const TTest test = {#name, test_##name, __FILE__, __LINE__};                        \
        suite_add(&test, signal, from, to);                                                        \
    }                                                                                              \
    static void test_##name(int _i CK_ATTRIBUTE_UNUSED)
#define TEST(name) SUITE_TEST(name, 0, 0, 1)
#define LOOP_TEST(name, from, to) SUITE_TEST(name, 0, from, to)
#define SIGNAL_TEST(name, signal) SUITE_TEST(name, signal, 0, 1)

/* Runs the tests, each between set_up() and tear_down() if they are not NULL. Returns the process's
 * exit status. */
static inline int suite_run(const char *name, void (*set_up)(void), void (*tear_down)(void)) {
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    for (int i = 0; i < suite_count; i++) {
        tcase_add_loop_test_raise_signal(tests, suite_tests[i].test, suite_tests[i].signal,
                                         suite_tests[i].from, suite_tests[i].to);
    }
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#define SUITE_BETWEEN(name, set_up, tear_down)                                                     \
    int main(void) {                                                                               \
        return suite_run(name, set_up, tear_down);                                                 \
    }
#define SUITE(name) SUITE_BETWEEN(name, NULL, NULL)
