/* Check suite of labs/runtime/shown.h. */
#include "shown.h"
#include "test_suite.h"

#include <stdio.h>
#include <string.h>

TEST(no_nan_has_a_sign) {
    float untouched;
    char before[32], text[32];
    memset(&untouched, 0xff, sizeof untouched); /* as a test fills its output */
    snprintf(before, sizeof before, "%g", (double)untouched);
    ck_assert_str_eq(before, "-nan"); /* what this is for */
    snprintf(text, sizeof text, "%g", shown(untouched));
    ck_assert_str_eq(text, "nan");
}

TEST(other_values_are_unchanged) {
    ck_assert(shown(-0.5) == -0.5 && shown(3) == 3 && isinf(shown(-INFINITY)));
    ck_assert(signbit(shown(-0.0)) != 0);
}

SUITE("shown")
