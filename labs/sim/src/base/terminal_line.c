#include "base/terminal_line.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

/* BUSY: it is being drawn; others wait for that. CLOSED: the program ends. */
enum { CLEAR, BUSY, DRAWN, CLOSED };
static int state;
static pid_t owner; /* a forked child has not drawn it, and nobody there ends what is BUSY */

static bool change(int from, int to) {
    return __atomic_compare_exchange_n(&state, &from, to, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

static void put(const char *text, size_t length) {
    if (isatty(STDERR_FILENO)) {
        ssize_t written = write(STDERR_FILENO, text, length);
        (void)written;
    }
}

void sim_line_draw(bool (*describe)(char *text, size_t size)) {
    char text[256], line[sizeof text + 32];
    if (owner != getpid()) {
        owner = getpid();
        state = CLEAR;
    }
    const int before = __atomic_load_n(&state, __ATOMIC_SEQ_CST);
    if (before == CLOSED || !change(before, BUSY)) {
        return;
    }
    const bool any = describe(text, sizeof text);
    if (any) { /* saves the cursor, erases the old line, and does not wrap at the right edge */
        put(line, (size_t)snprintf(line, sizeof line, "\0337\033[K\033[?7l%s\033[?7h\0338", text));
    }
    __atomic_store_n(&state, any ? DRAWN : before, __ATOMIC_SEQ_CST);
}

void sim_line_clear(void) {
    int now;
    while ((now = __atomic_load_n(&state, __ATOMIC_SEQ_CST)) == BUSY && owner == getpid()) {
        sched_yield();
    }
    if (now == DRAWN && owner == getpid() && change(DRAWN, CLEAR)) {
        put("\033[K", 3);
    }
}

__attribute__((destructor)) static void close_line(void) {
    do {
        sim_line_clear();
    } while (owner == getpid() && !change(CLEAR, CLOSED));
}
