/* json.c: what becomes of quotes, of bytes that are not text, and of what does not fit. */
#include "evidence/json.h"
#include "test_suite.h"

#include <stdlib.h>
#include <string.h>

#define ck_escaped(text, expected)                                                                 \
    do {                                                                                           \
        char to[64];                                                                               \
        ck_assert_uint_eq(json_escape(to, sizeof to, text), strlen(expected));                     \
        ck_assert_str_eq(to, expected);                                                            \
    } while (0)

TEST(test_quotes_and_backslashes_are_escaped) {
    ck_escaped("", "");
    ck_escaped("tile_kernel", "tile_kernel");
    ck_escaped("a \"b\" \\ c", "a \\\"b\\\" \\\\ c");
}

TEST(test_bytes_that_are_not_text_become_question_marks) {
    ck_escaped("gr\xc3\xbc\xc3\x9f \xe2\x82\xac", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac");
    ck_escaped("a\nb\tc\x7f", "a?b?c?");
    ck_escaped("\xff\xc3.\xe2\x82", "?\?.?\?");
    /* Half of a surrogate pair, and a zero in three bytes: readers refuse the whole line. */
    ck_escaped("\xed\xa0\x80 \xe0\x80\x80", "?\?\? ?\?\?");
    ck_escaped("\xed\x9f\xbf\xe0\xa0\x80", "\xed\x9f\xbf\xe0\xa0\x80");
}

TEST(test_oversized_members_are_omitted_whole) {
    char to[4];
    ck_assert_uint_eq(json_escape(to, sizeof to, "abcdef"), 3);
    ck_assert_str_eq(to, "abc");
    ck_assert_uint_eq(json_escape(to, sizeof to, "ab\""), 2);
    ck_assert_str_eq(to, "ab");
    ck_assert_uint_eq(json_escape(to, sizeof to, "ab\xc3\xbc"), 2);
    ck_assert_uint_eq(json_escape(to, 1, "a"), 0);
    ck_assert_str_eq(to, "");
}

TEST(test_a_string_in_a_file_has_its_quotes) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    json_write(file, "a\"b\n");
    fclose(file);
    ck_assert_str_eq(text, "\"a\\\"b?\"");
    free(text);
}

SUITE("json")
