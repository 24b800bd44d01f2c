/* Functions of the C library that tell what memory holds (confined_calls.symbols). nvcc refuses
 * them in a kernel; here what one reads counts there like any other read. */
#include "trace/confined_call.h"
#include "trace/recorder.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static void reads(const void *at, size_t bytes, const void *pc) {
    record_library(at, bytes, false, pc);
}

/* A text with its end, or as many bytes of it as are looked at. */
static void reads_text(const char *text, size_t most, const void *pc) {
    const size_t length = strnlen(text, most);
    reads(text, length < most ? length + 1 : length, pc);
}

/* From `at` to where something was found, or everything. */
static void reads_up_to(const void *at, const void *found, size_t all, const void *pc) {
    reads(at, found ? (size_t)((const char *)found - (const char *)at) + 1 : all, pc);
}

#define TWO_BLOCKS(name)                                                                           \
    CONFINED(int, name, const void *a, const void *b, size_t bytes) {                              \
        reads(a, bytes, CALLER);                                                                   \
        reads(b, bytes, CALLER);                                                                   \
        return name(a, b, bytes);                                                                  \
    }
TWO_BLOCKS(memcmp)
TWO_BLOCKS(bcmp)

CONFINED(void *, memchr, const void *at, int value, size_t bytes) {
    void *found = memchr(at, value, bytes);
    reads_up_to(at, found, bytes, CALLER);
    return found;
}

CONFINED(void *, memrchr, const void *at, int value, size_t bytes) {
    reads(at, bytes, CALLER);
    return memrchr(at, value, bytes);
}

CONFINED(void *, memmem, const void *at, size_t bytes, const void *part, size_t part_bytes) {
    reads(at, bytes, CALLER);
    reads(part, part_bytes, CALLER);
    return memmem(at, bytes, part, part_bytes);
}

/* A function of one text, and of another value. */
#define OF_TEXT(type, name)                                                                        \
    CONFINED(type, name, const char *text) {                                                       \
        reads_text(text, SIZE_MAX, CALLER);                                                        \
        return name(text);                                                                         \
    }
#define OF_TEXT_AND(type, name, other)                                                             \
    CONFINED(type, name, const char *text, other value) {                                          \
        reads_text(text, SIZE_MAX, CALLER);                                                        \
        return name(text, value);                                                                  \
    }
OF_TEXT(size_t, strlen)
OF_TEXT(char *, strdup)
OF_TEXT(int, atoi)
OF_TEXT(long, atol)
OF_TEXT(long long, atoll)
OF_TEXT(double, atof)
OF_TEXT_AND(char *, strchr, int)
OF_TEXT_AND(char *, strrchr, int)

/* A function of two texts; of no more than `bytes` of each. */
#define TWO_TEXTS(type, name)                                                                      \
    CONFINED(type, name, const char *a, const char *b) {                                           \
        reads_text(a, SIZE_MAX, CALLER);                                                           \
        reads_text(b, SIZE_MAX, CALLER);                                                           \
        return name(a, b);                                                                         \
    }
#define TWO_STARTS(name)                                                                           \
    CONFINED(int, name, const char *a, const char *b, size_t bytes) {                              \
        reads_text(a, bytes, CALLER);                                                              \
        reads_text(b, bytes, CALLER);                                                              \
        return name(a, b, bytes);                                                                  \
    }
TWO_TEXTS(int, strcmp)
TWO_TEXTS(int, strcoll)
TWO_TEXTS(int, strcasecmp)
TWO_TEXTS(char *, strstr)
TWO_TEXTS(char *, strpbrk)
TWO_TEXTS(size_t, strspn)
TWO_TEXTS(size_t, strcspn)
TWO_STARTS(strncmp)
TWO_STARTS(strncasecmp)

CONFINED(size_t, strnlen, const char *text, size_t bytes) {
    reads_text(text, bytes, CALLER);
    return strnlen(text, bytes);
}

CONFINED(char *, strndup, const char *text, size_t bytes) {
    reads_text(text, bytes, CALLER);
    return strndup(text, bytes);
}

/* A function of a structure. */
#define OF_VALUE(type, name, value)                                                                \
    CONFINED(type, name, const value *at) {                                                        \
        reads(at, sizeof *at, CALLER);                                                             \
        return name(at);                                                                           \
    }
OF_VALUE(struct tm *, localtime, time_t)
OF_VALUE(struct tm *, gmtime, time_t)
OF_VALUE(char *, ctime, time_t)
OF_VALUE(char *, asctime, struct tm)
