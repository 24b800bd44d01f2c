/* Functions of the C library that write where they are told to, or call what they are given: a
 * traced program's own calls of them come here first (confined_calls.symbols), because the compiler
 * reports no access that a library makes. nvcc refuses most of them in a kernel. */
#include "calls/call_targets.h"
#include "trace/confined_call.h"
#include "trace/recorder.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <time.h>

/* Does the call that returns to `pc` name this function? g++ itself writes such a call for the copy
 * of a large structure, and has then reported the copy. A call through a pointer is the program's
 * own. */
static bool is_named(const char *pc, uintptr_t function) {
#if defined(__x86_64__)
    enum { CALL = 0xe8, LENGTH = 5 };
    int32_t distance;
    memcpy(&distance, pc - sizeof distance, sizeof distance);
    return (unsigned char)pc[-LENGTH] == CALL && (uintptr_t)pc + (uintptr_t)distance == function;
#else
    (void)pc, (void)function;
    return true;
#endif
}

/* The bytes of a copy, or of a fill if `from` is NULL. */
static void moved(void *to, const void *from, size_t bytes, const char *pc, uintptr_t function) {
    if (!is_named(pc, function)) {
        record_bytes(to, from, bytes, pc);
        return;
    }
    record_library(to, bytes, true, pc);
    if (from != NULL) {
        record_library(from, bytes, false, pc);
    }
}

CONFINED(void *, memcpy, void *to, const void *from, size_t bytes) {
    moved(to, from, bytes, CALLER, (uintptr_t)sim_confined_memcpy);
    return memcpy(to, from, bytes);
}

CONFINED(void *, memmove, void *to, const void *from, size_t bytes) {
    moved(to, from, bytes, CALLER, (uintptr_t)sim_confined_memmove);
    return memmove(to, from, bytes);
}

CONFINED(void *, memset, void *to, int value, size_t bytes) {
    moved(to, NULL, bytes, CALLER, (uintptr_t)sim_confined_memset);
    return memset(to, value, bytes);
}

/* A copy of text: `bytes` of `from`, and a zero behind them. */
static void copied(char *to, const char *from, size_t bytes, const char *pc) {
    record_library(from, bytes, false, pc);
    record_library(to, bytes + 1, true, pc);
}

CONFINED(char *, strcpy, char *to, const char *from) {
    copied(to, from, strlen(from), CALLER);
    return strcpy(to, from);
}

CONFINED(char *, strncpy, char *to, const char *from, size_t bytes) {
    const size_t length = strnlen(from, bytes);
    record_library(from, length, false, CALLER);
    record_library(to, bytes, true, CALLER);
    return memcpy(memset(to, 0, bytes), from, length);
}

CONFINED(char *, strcat, char *to, const char *from) {
    char *end = to + strlen(to);
    copied(end, from, strlen(from), CALLER);
    strcpy(end, from);
    return to;
}

CONFINED(char *, strncat, char *to, const char *from, size_t bytes) {
    char *end = to + strlen(to);
    const size_t length = strnlen(from, bytes);
    copied(end, from, length, CALLER);
    memcpy(end, from, length);
    end[length] = '\0';
    return to;
}

CONFINED(void, qsort, void *base, size_t count, size_t bytes,
         int (*compare)(const void *, const void *)) {
    record_library(base, count * bytes, false, CALLER);
    record_library(base, count * bytes, true, CALLER);
    call_target_judge((uintptr_t)compare, CALLER);
    qsort(base, count, bytes, compare);
}

CONFINED(void *, bsearch, const void *key, const void *base, size_t count, size_t bytes,
         int (*compare)(const void *, const void *)) {
    call_target_judge((uintptr_t)compare, CALLER);
    return bsearch(key, base, count, bytes, compare);
}

CONFINED(int, pthread_once, pthread_once_t *once, void (*function)(void)) {
    record_library(once, sizeof *once, true, CALLER);
    call_target_judge((uintptr_t)function, CALLER);
    return pthread_once(once, function);
}

/* A function that returns a part of x and writes the other part to where it is told. */
#define CONFINED_PARTS(type, name, other)                                                          \
    CONFINED(type, name, type x, other *to) {                                                      \
        record_library(to, sizeof *to, true, CALLER);                                              \
        return name(x, to);                                                                        \
    }

CONFINED_PARTS(double, modf, double)
CONFINED_PARTS(float, modff, float)
CONFINED_PARTS(double, frexp, int)
CONFINED_PARTS(float, frexpf, int)

CONFINED(void, sincos, double x, double *sine, double *cosine) {
    record_library(sine, sizeof *sine, true, CALLER);
    record_library(cosine, sizeof *cosine, true, CALLER);
    sincos(x, sine, cosine);
}

CONFINED(void, sincosf, float x, float *sine, float *cosine) {
    record_library(sine, sizeof *sine, true, CALLER);
    record_library(cosine, sizeof *cosine, true, CALLER);
    sincosf(x, sine, cosine);
}

/* A function that writes to where `to` points: whether it must point anywhere, or may be NULL. */
#define CONFINED_RESULT(type, name, to, arguments, ...)                                            \
    CONFINED(type, name, __VA_ARGS__) {                                                            \
        record_library(to, sizeof *to, true, CALLER);                                              \
        return name arguments;                                                                     \
    }
#define CONFINED_IF_ANY(type, name, to, arguments, ...)                                            \
    CONFINED(type, name, __VA_ARGS__) {                                                            \
        record_library(to, to ? sizeof *to : 0, true, CALLER);                                     \
        return name arguments;                                                                     \
    }

#define CONFINED_PARTS_OF_TIME(name)                                                               \
    CONFINED(struct tm *, name, const time_t *time, struct tm *parts) {                            \
        record_library(time, sizeof *time, false, CALLER);                                         \
        record_library(parts, sizeof *parts, true, CALLER);                                        \
        return name(time, parts);                                                                  \
    }

CONFINED_IF_ANY(long, strtol, end, (text, end, base), const char *text, char **end, int base)
CONFINED_IF_ANY(long long, strtoll, end, (text, end, base), const char *text, char **end, int base)
CONFINED_IF_ANY(unsigned long, strtoul, end, (text, end, base), const char *text, char **end,
                int base)
CONFINED_IF_ANY(unsigned long long, strtoull, end, (text, end, base), const char *text, char **end,
                int base)
CONFINED_IF_ANY(double, strtod, end, (text, end), const char *text, char **end)
CONFINED_IF_ANY(float, strtof, end, (text, end), const char *text, char **end)
CONFINED_IF_ANY(time_t, time, now, (now), time_t *now)
CONFINED_IF_ANY(int, clock_getres, step, (clock, step), clockid_t clock, struct timespec *step)
CONFINED_RESULT(int, clock_gettime, now, (clock, now), clockid_t clock, struct timespec *now)
CONFINED_RESULT(int, timespec_get, now, (now, base), struct timespec *now, int base)
CONFINED_PARTS_OF_TIME(localtime_r)
CONFINED_PARTS_OF_TIME(gmtime_r)
CONFINED_RESULT(time_t, mktime, parts, (parts), struct tm *parts)
CONFINED_RESULT(int, rand_r, seed, (seed), unsigned *seed)
CONFINED_RESULT(int, posix_memalign, memory, (memory, alignment, bytes), void **memory,
                size_t alignment, size_t bytes)

CONFINED(char *, strtok, char *text, const char *separators) {
    record_library(text, text ? strlen(text) + 1 : 0, true, CALLER);
    return strtok(text, separators);
}

CONFINED(void *, mempcpy, void *to, const void *from, size_t bytes) {
    record_library(to, bytes, true, CALLER);
    record_library(from, bytes, false, CALLER);
    return mempcpy(to, from, bytes);
}

CONFINED(char *, stpcpy, char *to, const char *from) {
    copied(to, from, strlen(from), CALLER);
    return stpcpy(to, from);
}

CONFINED(void, bcopy, const void *from, void *to, size_t bytes) {
    record_library(to, bytes, true, CALLER);
    record_library(from, bytes, false, CALLER);
    memmove(to, from, bytes);
}

CONFINED(void, bzero, void *to, size_t bytes) {
    record_library(to, bytes, true, CALLER);
    memset(to, 0, bytes);
}

CONFINED(int, gettimeofday, struct timeval *now, void *zone) {
    record_library(now, sizeof *now, true, CALLER);
    record_library(zone, zone ? sizeof(struct timezone) : 0, true, CALLER);
    return gettimeofday(now, zone);
}

CONFINED(size_t, strftime, char *to, size_t bytes, const char *format, const struct tm *parts) {
    record_library(to, bytes, true, CALLER);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    return strftime(to, bytes, format, parts);
#pragma GCC diagnostic pop
}

enum { NUMBER = 16 }; /* bytes of a number, at most */

/* The next conversion of a format of scanf() that stores something, from its letter on; NULL: none.
 */
static const char *next_stored(const char *format) {
    while ((format = strchr(format, '%')) != NULL) {
        format++;
        const bool is_stored = *format != '%' && *format != '*';
        format += strspn(format, "*0123456789'mhlLqjzt");
        if (is_stored || *format == '\0') {
            return *format ? format : NULL;
        }
        format++;
    }
    return NULL;
}

/* How many arguments a format uses that numbers them, as "%2$d" does: 0 for another. */
static long numbered(const char *format) {
    long most = 0;
    while ((format = strchr(format, '%')) != NULL) {
        char *end;
        const long number = strtol(++format, &end, 10);
        most = *end == '$' && number > most ? number : most;
    }
    return most;
}

/* Text gets all that there is, at most. */
static void confine_scanned(const char *text, const char *format, va_list arguments,
                            const void *pc) {
    const size_t all = strlen(text) + NUMBER;
    record_library(text, strlen(text) + 1, false, pc);
    for (long i = numbered(format); i > 0; i--) {
        record_library(va_arg(arguments, void *), all, true, pc);
        format = i > 1 ? format : "";
    }
    while ((format = next_stored(format)) != NULL) {
        const bool is_text = strchr("sc[SC", *format) != NULL;
        record_library(va_arg(arguments, void *), is_text ? strlen(text) + 1 : NUMBER, true, pc);
    }
}

CONFINED(int, vsscanf, const char *text, const char *format, va_list arguments) {
    va_list twice;
    va_copy(twice, arguments);
    confine_scanned(text, format, twice, CALLER);
    va_end(twice);
    return vsscanf(text, format, arguments);
}

CONFINED(int, sscanf, const char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    confine_scanned(text, format, arguments, CALLER);
    va_end(arguments);
    va_start(arguments, format);
    const int read = vsscanf(text, format, arguments);
    va_end(arguments);
    return read;
}

CONFINED(int, setvbuf, FILE *file, char *buffer, int mode, size_t bytes) {
    record_library(buffer, buffer ? bytes : 0, true, CALLER);
    return setvbuf(file, buffer, mode, bytes);
}

CONFINED(void, setbuf, FILE *file, char *buffer) {
    record_library(buffer, buffer ? BUFSIZ : 0, true, CALLER);
    setbuf(file, buffer);
}

/* The names that the C library's headers have for some of these: __isoc23_ since glibc 2.38. */
#define ALSO_CALLED(name, other)                                                                   \
    extern __typeof__(sim_confined_##name) sim_confined_##other                                    \
        __attribute__((alias("sim_confined_" #name)))
ALSO_CALLED(sscanf, __isoc99_sscanf);
ALSO_CALLED(vsscanf, __isoc99_vsscanf);
ALSO_CALLED(sscanf, __isoc23_sscanf);
ALSO_CALLED(vsscanf, __isoc23_vsscanf);
ALSO_CALLED(strtol, __isoc23_strtol);
ALSO_CALLED(strtoul, __isoc23_strtoul);
ALSO_CALLED(strtoll, __isoc23_strtoll);
ALSO_CALLED(strtoull, __isoc23_strtoull);
ALSO_CALLED(mempcpy, __mempcpy);
