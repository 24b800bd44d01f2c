#include "evidence/our_fault.h"

#include "evidence/evidence.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST = 1024 }; /* characters of a sentence */

__attribute__((noreturn)) static void end(enum evidence_kind kind, const char *format,
                                          va_list arguments) {
    char text[MOST];
    const int length = vsnprintf(text, sizeof text, format, arguments);
    fflush(stdout);
    fprintf(stderr, "runner: %s\n", text);
    evidence_write(kind, text, length < 0 ? 0 : length < MOST ? (size_t)length : MOST - 1);
    _exit(2);
}

void our_fault(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    end(EVIDENCE_FAULT, format, arguments);
}

void disk_fault(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    end(EVIDENCE_DISK, format, arguments);
}
