/* How often warps pass a place: the most passes of any lane count, once for each warp and epoch. */
#include "test_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/passes.h"

/* What passes_write() writes; the caller frees it. */
static char *written(uint64_t divisor) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(file);
    passes_write(file, divisor);
    fclose(file);
    return text;
}

static void expect(uint64_t divisor, const char *text) {
    char *found = written(divisor);
    ck_assert_str_eq(found, text);
    free(found);
}

static void lane(uint32_t place, int times) {
    passes_next_lane();
    for (int i = 0; i < times; i++) {
        ck_assert(passes_add(place));
    }
}

TEST(the_lane_with_the_most_passes_counts) {
    passes_begin();
    lane(100, 3);
    lane(100, 5);
    lane(100, 4);
    passes_end_warp(1);
    expect(1, "[[100,5]]");
}

TEST(warps_add_up_by_weight) {
    passes_begin();
    lane(100, 2);
    passes_end_warp(3);
    lane(100, 1);
    passes_end_warp(4);
    expect(2, "[[100,5]]");
}

TEST(a_launch_begins_at_zero) {
    passes_begin();
    lane(100, 2);
    passes_begin();
    passes_end_warp(1);
    expect(1, "[]");
}

TEST(thousands_of_places_in_one_lane) {
    enum { PLACES = 5000 };
    passes_begin();
    for (uint32_t place = 1; place <= PLACES; place++) {
        ck_assert(passes_add(place * 7));
    }
    lane(7, 2);
    passes_end_warp(1);
    char *text = written(1);
    int entries = 0;
    for (const char *at = text; (at = strstr(at, ",1]")) != NULL; at++) {
        entries++;
    }
    ck_assert_int_eq(entries, PLACES - 1);
    ck_assert_ptr_nonnull(strstr(text, "[7,2]"));
    free(text);
}

SUITE("passes")
