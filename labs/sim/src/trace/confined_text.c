/* printf() and its relatives in a traced program (confined_calls.symbols): the text goes where they
 * are told to, and %n writes a number. */
#include "trace/confined_call.h"
#include "trace/recorder.h"

#include <printf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ARGUMENTS = 64 };

/* What a format writes by %n, and what a kernel has it read by %s into a text of `length` bytes; 0
 * for a text that the program never sees. Other arguments are passed over, each by its type. */
static void confine_pointers(const char *format, va_list arguments, size_t length, const void *pc) {
    int type[MOST_ARGUMENTS];
    if (strchr(format, '%') == NULL || (length == 0 && strchr(format, 'n') == NULL)) {
        return;
    }
    const size_t all = parse_printf_format(format, MOST_ARGUMENTS, type);
    const size_t count = all < MOST_ARGUMENTS ? all : MOST_ARGUMENTS;
    for (size_t i = 0; i < count; i++) {
        const int kind = type[i] & ~PA_FLAG_MASK;
        if (type[i] & PA_FLAG_PTR) {
            record_library(va_arg(arguments, void *), sizeof(long long), true, pc);
        } else if (kind == PA_FLOAT || kind == PA_DOUBLE) {
            if (type[i] & PA_FLAG_LONG_DOUBLE) {
                (void)va_arg(arguments, long double);
            } else {
                (void)va_arg(arguments, double);
            }
        } else if (kind == PA_STRING && length > 0) {
            const char *text = va_arg(arguments, const char *);
            record_library(text, strnlen(text, length), false, pc);
        } else if (kind == PA_STRING || kind == PA_WSTRING || kind == PA_POINTER ||
                   type[i] & (PA_FLAG_LONG | PA_FLAG_LONG_LONG)) {
            (void)va_arg(arguments, long long);
        } else {
            (void)va_arg(arguments, int);
        }
    }
    if (all > MOST_ARGUMENTS) {
        record_library(NULL, 1, true, pc);
    }
}

static int print(FILE *file, const char *format, va_list arguments, const void *pc) {
    va_list twice;
    va_copy(twice, arguments);
    confine_pointers(format, twice, 0, pc);
    va_end(twice);
    return vfprintf(file, format, arguments);
}

/* To memory. `bytes`: its size; SIZE_MAX: what the text needs. */
static int print_to(char *to, size_t bytes, const char *format, va_list arguments, const void *pc) {
    va_list twice;
    va_copy(twice, arguments);
    confine_pointers(format, twice, 0, pc);
    va_end(twice);
    va_copy(twice, arguments);
    const int length = vsnprintf(NULL, 0, format, twice);
    va_end(twice);
    if (sim_on_device() && length > 0) {
        va_copy(twice, arguments);
        confine_pointers(format, twice, (size_t)length, pc);
        va_end(twice);
    }
    const size_t needed = length < 0 ? 1 : (size_t)length + 1;
    record_library(to, bytes < needed ? bytes : needed, true, pc);
    return bytes == SIZE_MAX ? vsprintf(to, format, arguments)
                             : vsnprintf(to, bytes, format, arguments);
}

CONFINED(int, vfprintf, FILE *file, const char *format, va_list arguments) {
    return print(file, format, arguments, CALLER);
}

CONFINED(int, vprintf, const char *format, va_list arguments) {
    return print(stdout, format, arguments, CALLER);
}

CONFINED(int, vsnprintf, char *to, size_t bytes, const char *format, va_list arguments) {
    return print_to(to, bytes, format, arguments, CALLER);
}

CONFINED(int, vsprintf, char *to, const char *format, va_list arguments) {
    return print_to(to, SIZE_MAX, format, arguments, CALLER);
}

/* The same for those that take the arguments themselves. */
#define FORWARDED(call)                                                                            \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    const int length = call;                                                                       \
    va_end(arguments);                                                                             \
    return length

CONFINED(int, fprintf, FILE *file, const char *format, ...) {
    FORWARDED(print(file, format, arguments, CALLER));
}

CONFINED(int, printf, const char *format, ...) {
    FORWARDED(print(stdout, format, arguments, CALLER));
}

CONFINED(int, snprintf, char *to, size_t bytes, const char *format, ...) {
    FORWARDED(print_to(to, bytes, format, arguments, CALLER));
}

CONFINED(int, sprintf, char *to, const char *format, ...) {
    FORWARDED(print_to(to, SIZE_MAX, format, arguments, CALLER));
}

/* What the C library's headers call in their place with _FORTIFY_SOURCE. `room`: how large they
 * know the memory to be, for the C library's own check. */
CONFINED(int, __vfprintf_chk, FILE *file, int flag, const char *format, va_list arguments) {
    (void)flag;
    return print(file, format, arguments, CALLER);
}

CONFINED(int, __vprintf_chk, int flag, const char *format, va_list arguments) {
    (void)flag;
    return print(stdout, format, arguments, CALLER);
}

CONFINED(int, __vsnprintf_chk, char *to, size_t bytes, int flag, size_t room, const char *format,
         va_list arguments) {
    (void)flag;
    return print_to(to, bytes < room ? bytes : room, format, arguments, CALLER);
}

CONFINED(int, __vsprintf_chk, char *to, int flag, size_t room, const char *format,
         va_list arguments) {
    (void)flag;
    return print_to(to, room, format, arguments, CALLER);
}

CONFINED(int, __fprintf_chk, FILE *file, int flag, const char *format, ...) {
    (void)flag;
    FORWARDED(print(file, format, arguments, CALLER));
}

CONFINED(int, __printf_chk, int flag, const char *format, ...) {
    (void)flag;
    FORWARDED(print(stdout, format, arguments, CALLER));
}

CONFINED(int, __snprintf_chk, char *to, size_t bytes, int flag, size_t room, const char *format,
         ...) {
    (void)flag;
    FORWARDED(print_to(to, bytes < room ? bytes : room, format, arguments, CALLER));
}

CONFINED(int, __sprintf_chk, char *to, int flag, size_t room, const char *format, ...) {
    (void)flag;
    FORWARDED(print_to(to, room, format, arguments, CALLER));
}

#define CHECKED_COPY(name)                                                                         \
    CONFINED(void *, __##name##_chk, void *to, const void *from, size_t bytes, size_t room) {      \
        record_library(to, bytes, true, CALLER);                                                   \
        record_library(from, bytes, false, CALLER);                                                \
        return __builtin___##name##_chk(to, from, bytes, room);                                    \
    }
CHECKED_COPY(memcpy)
CHECKED_COPY(memmove)
CHECKED_COPY(mempcpy)

CONFINED(void *, __memset_chk, void *to, int value, size_t bytes, size_t room) {
    record_library(to, bytes, true, CALLER);
    return __builtin___memset_chk(to, value, bytes, room);
}

/* A text to where `at` is, of `length` bytes at most, without a size of the memory. */
#define CHECKED_TEXT(name, at, length, ...)                                                        \
    {                                                                                              \
        record_library(from, length, false, CALLER);                                               \
        record_library(at, (length) + 1, true, CALLER);                                            \
        return __builtin___##name##_chk(__VA_ARGS__);                                              \
    }
CONFINED(char *, __strcpy_chk, char *to, const char *from, size_t room)
CHECKED_TEXT(strcpy, to, strlen(from), to, from, room)
CONFINED(char *, __stpcpy_chk, char *to, const char *from, size_t room)
CHECKED_TEXT(stpcpy, to, strlen(from), to, from, room)
CONFINED(char *, __strcat_chk, char *to, const char *from, size_t room)
CHECKED_TEXT(strcat, to + strlen(to), strlen(from), to, from, room)
CONFINED(char *, __strncat_chk, char *to, const char *from, size_t bytes, size_t room)
CHECKED_TEXT(strncat, to + strlen(to), strnlen(from, bytes), to, from, bytes, room)
CONFINED(char *, __strncpy_chk, char *to, const char *from, size_t bytes, size_t room) {
    record_library(from, strnlen(from, bytes), false, CALLER);
    record_library(to, bytes, true, CALLER);
    return __builtin___strncpy_chk(to, from, bytes, room);
}
