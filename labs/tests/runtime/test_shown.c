/* Check suite of labs/runtime/shown.h. */
#include "shown.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

START_TEST(no_nan_has_a_sign) {
    float untouched;
    char before[32], text[32];
    memset(&untouched, 0xff, sizeof untouched); /* as a test fills its output */
    snprintf(before, sizeof before, "%g", (double)untouched);
    ck_assert_str_eq(before, "-nan"); /* what this is for */
    snprintf(text, sizeof text, "%g", shown(untouched));
    ck_assert_str_eq(text, "nan");
}
END_TEST

START_TEST(other_values_are_as_they_are) {
    ck_assert(shown(-0.5) == -0.5 && shown(3) == 3 && isinf(shown(-INFINITY)));
    ck_assert(signbit(shown(-0.0)) != 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("shown");
    TCase *tests = tcase_create("shown");
    tcase_add_test(tests, no_nan_has_a_sign);
    tcase_add_test(tests, other_values_are_as_they_are);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
