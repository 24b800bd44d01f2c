/* Functions of the C library that write where they are told to, or call what they are given: a traced
 * program's own calls of them come here first (confined_calls.symbols), because the compiler reports
 * no access that a library makes. Kernels call none of them, but for what g++ makes of the copy of a
 * large structure, which it reports itself. */
#include "trace/call_targets.h"
#include "trace/confinement.h"
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

#define CALLER __builtin_return_address(0)
#define CONFINED(result, name, ...)                                                                \
    result sim_confined_##name(__VA_ARGS__);                                                       \
    result sim_confined_##name(__VA_ARGS__)

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
    confine_host(to, bytes, true, pc);
    if (from != NULL) {
        confine_host(from, bytes, false, pc);
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

CONFINED(char *, strcpy, char *to, const char *from) {
    confine_host(to, strlen(from) + 1, true, CALLER);
    return strcpy(to, from);
}

CONFINED(char *, strncpy, char *to, const char *from, size_t bytes) {
    confine_host(to, bytes, true, CALLER);
    return memcpy(memset(to, 0, bytes), from, strnlen(from, bytes));
}

CONFINED(char *, strcat, char *to, const char *from) {
    char *end = to + strlen(to);
    confine_host(end, strlen(from) + 1, true, CALLER);
    strcpy(end, from);
    return to;
}

CONFINED(char *, strncat, char *to, const char *from, size_t bytes) {
    char *end = to + strlen(to);
    const size_t length = strnlen(from, bytes);
    confine_host(end, length + 1, true, CALLER);
    memcpy(end, from, length);
    end[length] = '\0';
    return to;
}

CONFINED(int, vsnprintf, char *to, size_t bytes, const char *format, va_list arguments) {
    confine_host(to, bytes, true, CALLER);
    return vsnprintf(to, bytes, format, arguments);
}

CONFINED(int, snprintf, char *to, size_t bytes, const char *format, ...) {
    va_list arguments;
    confine_host(to, bytes, true, CALLER);
    va_start(arguments, format);
    const int length = vsnprintf(to, bytes, format, arguments);
    va_end(arguments);
    return length;
}

CONFINED(int, vsprintf, char *to, const char *format, va_list arguments) {
    va_list twice;
    va_copy(twice, arguments);
    const int length = vsnprintf(NULL, 0, format, twice);
    va_end(twice);
    confine_host(to, length < 0 ? 1 : (size_t)length + 1, true, CALLER);
    return vsprintf(to, format, arguments);
}

CONFINED(int, sprintf, char *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    confine_host(to, length < 0 ? 1 : (size_t)length + 1, true, CALLER);
    va_start(arguments, format);
    vsprintf(to, format, arguments);
    va_end(arguments);
    return length;
}

CONFINED(void, qsort, void *base, size_t count, size_t bytes,
         int (*compare)(const void *, const void *)) {
    confine_host(base, count * bytes, true, CALLER);
    call_target_given((uintptr_t)compare, CALLER);
    qsort(base, count, bytes, compare);
}

CONFINED(void *, bsearch, const void *key, const void *base, size_t count, size_t bytes,
         int (*compare)(const void *, const void *)) {
    call_target_given((uintptr_t)compare, CALLER);
    return bsearch(key, base, count, bytes, compare);
}

CONFINED(int, pthread_once, pthread_once_t *once, void (*function)(void)) {
    confine_host(once, sizeof *once, true, CALLER);
    call_target_given((uintptr_t)function, CALLER);
    return pthread_once(once, function);
}

/* A function that returns a part of x and writes the other part to where it is told. */
#define CONFINED_PARTS(type, name, other)                                                          \
    CONFINED(type, name, type x, other *to) {                                                      \
        confine_host(to, sizeof *to, true, CALLER);                                                \
        return name(x, to);                                                                        \
    }

CONFINED_PARTS(double, modf, double)
CONFINED_PARTS(float, modff, float)
CONFINED_PARTS(double, frexp, int)
CONFINED_PARTS(float, frexpf, int)

CONFINED(void, sincos, double x, double *sine, double *cosine) {
    confine_host(sine, sizeof *sine, true, CALLER);
    confine_host(cosine, sizeof *cosine, true, CALLER);
    sincos(x, sine, cosine);
}

CONFINED(void, sincosf, float x, float *sine, float *cosine) {
    confine_host(sine, sizeof *sine, true, CALLER);
    confine_host(cosine, sizeof *cosine, true, CALLER);
    sincosf(x, sine, cosine);
}

CONFINED(time_t, time, time_t *now) {
    confine_host(now, now ? sizeof *now : 0, true, CALLER);
    return time(now);
}

CONFINED(int, clock_gettime, clockid_t clock, struct timespec *now) {
    confine_host(now, sizeof *now, true, CALLER);
    return clock_gettime(clock, now);
}

CONFINED(long, strtol, const char *text, char **end, int base) {
    confine_host(end, end ? sizeof *end : 0, true, CALLER);
    return strtol(text, end, base);
}

CONFINED(unsigned long, strtoul, const char *text, char **end, int base) {
    confine_host(end, end ? sizeof *end : 0, true, CALLER);
    return strtoul(text, end, base);
}

CONFINED(double, strtod, const char *text, char **end) {
    confine_host(end, end ? sizeof *end : 0, true, CALLER);
    return strtod(text, end);
}

CONFINED(float, strtof, const char *text, char **end) {
    confine_host(end, end ? sizeof *end : 0, true, CALLER);
    return strtof(text, end);
}

CONFINED(long long, strtoll, const char *text, char **end, int base) {
    confine_host(end, end ? sizeof *end : 0, true, CALLER);
    return strtoll(text, end, base);
}

CONFINED(unsigned long long, strtoull, const char *text, char **end, int base) {
    confine_host(end, end ? sizeof *end : 0, true, CALLER);
    return strtoull(text, end, base);
}

CONFINED(char *, strtok, char *text, const char *separators) {
    confine_host(text, text ? strlen(text) + 1 : 0, true, CALLER);
    return strtok(text, separators);
}

CONFINED(void *, mempcpy, void *to, const void *from, size_t bytes) {
    confine_host(to, bytes, true, CALLER);
    confine_host(from, bytes, false, CALLER);
    return mempcpy(to, from, bytes);
}

CONFINED(char *, stpcpy, char *to, const char *from) {
    confine_host(to, strlen(from) + 1, true, CALLER);
    return stpcpy(to, from);
}

CONFINED(void, bcopy, const void *from, void *to, size_t bytes) {
    confine_host(to, bytes, true, CALLER);
    confine_host(from, bytes, false, CALLER);
    memmove(to, from, bytes);
}

CONFINED(void, bzero, void *to, size_t bytes) {
    confine_host(to, bytes, true, CALLER);
    memset(to, 0, bytes);
}

CONFINED(int, posix_memalign, void **memory, size_t alignment, size_t bytes) {
    confine_host(memory, sizeof *memory, true, CALLER);
    return posix_memalign(memory, alignment, bytes);
}

CONFINED(int, rand_r, unsigned *seed) {
    confine_host(seed, sizeof *seed, true, CALLER);
    return rand_r(seed);
}

CONFINED(int, gettimeofday, struct timeval *now, void *zone) {
    confine_host(now, sizeof *now, true, CALLER);
    confine_host(zone, zone ? sizeof(struct timezone) : 0, true, CALLER);
    return gettimeofday(now, zone);
}

CONFINED(int, timespec_get, struct timespec *now, int base) {
    confine_host(now, sizeof *now, true, CALLER);
    return timespec_get(now, base);
}

CONFINED(struct tm *, localtime_r, const time_t *time, struct tm *parts) {
    confine_host(parts, sizeof *parts, true, CALLER);
    return localtime_r(time, parts);
}

CONFINED(struct tm *, gmtime_r, const time_t *time, struct tm *parts) {
    confine_host(parts, sizeof *parts, true, CALLER);
    return gmtime_r(time, parts);
}

CONFINED(time_t, mktime, struct tm *parts) {
    confine_host(parts, sizeof *parts, true, CALLER);
    return mktime(parts);
}

CONFINED(size_t, strftime, char *to, size_t bytes, const char *format, const struct tm *parts) {
    confine_host(to, bytes, true, CALLER);
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

/* Text gets all that there is, at most. */
static void confine_scanned(const char *text, const char *format, va_list arguments,
                            const void *pc) {
    while ((format = next_stored(format)) != NULL) {
        const bool is_text = strchr("sc[SC", *format) != NULL;
        confine_host(va_arg(arguments, void *), is_text ? strlen(text) + 1 : NUMBER, true, pc);
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
    confine_host(buffer, buffer ? bytes : 0, true, CALLER);
    return setvbuf(file, buffer, mode, bytes);
}

CONFINED(void, setbuf, FILE *file, char *buffer) {
    confine_host(buffer, buffer ? BUFSIZ : 0, true, CALLER);
    setbuf(file, buffer);
}

/* The names that the C library's headers have for some of these. */
extern __typeof__(sim_confined_sscanf) sim_confined___isoc99_sscanf
    __attribute__((alias("sim_confined_sscanf")));
extern __typeof__(sim_confined_vsscanf) sim_confined___isoc99_vsscanf
    __attribute__((alias("sim_confined_vsscanf")));
extern __typeof__(sim_confined_mempcpy) sim_confined___mempcpy
    __attribute__((alias("sim_confined_mempcpy")));
