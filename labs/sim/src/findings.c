#include "sim.h"

#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_TEXT 1024
#define MOST_FINDINGS 200 /* a broken kernel may find the same in every thread */

static int reported;

/* `text` as the inside of a JSON string, at most `room` bytes of it. */
static int escape(char *to, int room, const char *text) {
    int at = 0;
    for (; *text && at < room - 2; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            to[at++] = '\\';
        }
        to[at++] = c < 0x20 || c >= 0x7f ? '?' : (char)c;
    }
    to[at] = '\0';
    return at;
}

/* The address of `pc` inside the program's file, as addr2line wants it. */
static uintptr_t in_program(const void *pc) {
    uintptr_t base = _r_debug.r_map ? _r_debug.r_map->l_addr : 0;
    return (uintptr_t)pc - base;
}

/* One write() of the whole line, so that threads do not mix theirs; safe in a signal handler. */
static void append(const struct sim_finding *f, const char *message) {
    const char *path = getenv("CONVLABS_SIM_FINDINGS");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    if (file < 0) {
        return;
    }
    char text[2 * MOST_TEXT + 16], name[512], kernel[512], line[4 * MOST_TEXT];
    escape(text, sizeof text, message);
    escape(name, sizeof name, f->place.file ? f->place.file : "");
    escape(kernel, sizeof kernel, f->kernel ? f->kernel : "");
    int n = snprintf(line, sizeof line, "{\"severity\":\"%s\",\"kind\":\"%s\",\"message\":\"%s\"",
                     f->severity, f->kind, text);
    if (f->kernel) {
        n += snprintf(line + n, sizeof line - (size_t)n, ",\"kernel\":\"%s\"", kernel);
    }
    if (f->place.file) {
        n += snprintf(line + n, sizeof line - (size_t)n, ",\"file\":\"%s\",\"line\":%d", name,
                      f->place.line);
    }
    if (f->block) {
        n += snprintf(line + n, sizeof line - (size_t)n, ",\"block\":[%u,%u,%u]", f->block->x,
                      f->block->y, f->block->z);
    }
    if (f->thread) {
        n += snprintf(line + n, sizeof line - (size_t)n, ",\"thread\":[%u,%u,%u]", f->thread->x,
                      f->thread->y, f->thread->z);
    }
    if (f->pc) {
        n += snprintf(line + n, sizeof line - (size_t)n, ",\"pc\":%llu",
                      (unsigned long long)in_program(f->pc));
    }
    n += snprintf(line + n, sizeof line - (size_t)n, "}\n");
    ssize_t written = write(file, line, (size_t)n);
    (void)written; /* a full disk must not stop the student's program */
    close(file);
}

void sim_report(const struct sim_finding *f, const char *format, ...) {
    if (__atomic_add_fetch(&reported, 1, __ATOMIC_RELAXED) > MOST_FINDINGS) {
        return;
    }
    char message[MOST_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    append(f, message);
    char line[2 * MOST_TEXT];
    int n = f->place.file ? snprintf(line, sizeof line, "convlabs-sim: %s:%d: %s\n", f->place.file,
                                     f->place.line, message)
                          : snprintf(line, sizeof line, "convlabs-sim: %s\n", message);
    ssize_t written = write(STDERR_FILENO, line, (size_t)n);
    (void)written;
}
