#include "base/findings.h"

#include "base/options.h"
#include "base/record.h"
#include "base/terminal_line.h"
#include "evidence/json.h"

#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int step = -1;

void sim_set_step(int number) {
    step = number;
}

int sim_step(void) {
    return step;
}

static int launch;

void sim_set_launch(int number) {
    launch = number;
}

#define MAX_TEXT 1024
#define MAX_FINDINGS 200 /* of errors, and of notes: a broken program may repeat one forever */

/* A line of text that grows; what does not fit is cut off. */
struct line {
    char text[8 * MAX_TEXT];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *line, const char *format, ...) {
    size_t room = sizeof line->text - line->length;
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(line->text + line->length, room, format, arguments);
    va_end(arguments);
    if (n > 0) {
        line->length += (size_t)n < room ? (size_t)n : room - 1;
    }
}

#define ROOM_AFTER 512 /* bytes kept free for what follows a string */

static void add_string(struct line *line, const char *key, const char *text) {
    add(line, "\"%s\":\"", key);
    if (line->length < sizeof line->text - ROOM_AFTER) {
        size_t room = sizeof line->text - ROOM_AFTER - line->length;
        line->length += json_escape(line->text + line->length, room, text);
    }
    add(line, "\"");
}

static void add_index(struct line *line, const char *key, const uint3 *index) {
    if (index) {
        add(line, ",\"%s\":[%u,%u,%u]", key, index->x, index->y, index->z);
    }
}

/* The address of `pc` inside the program's file, as `addr2line -e` wants it. */
static uintptr_t in_program(const void *pc) {
    return (uintptr_t)pc - (_r_debug.r_map ? _r_debug.r_map->l_addr : 0);
}

/* Returns false when the finding is not recorded. */
static bool append(const struct sim_finding *f, const char *message) {
    static struct sim_record record = {EVIDENCE_FINDING, false};
    struct line line = {.length = 0};
    add(&line, "{");
    add_string(&line, "severity", f->severity ? f->severity : "error");
    add(&line, ",");
    add_string(&line, "kind", f->kind);
    if (f->kernel) {
        add(&line, ",");
        add_string(&line, "kernel", f->kernel);
    }
    if (f->location.file) {
        add(&line, ",");
        add_string(&line, "file", f->location.file);
        add(&line, ",\"line\":%d", f->location.line);
    }
    if (step >= 0) {
        add(&line, ",\"step\":%d", step);
    }
    if (f->block && sim_options.steps.what != STEPS_NONE) {
        add(&line, ",\"launch\":%d", launch);
    }
    add_index(&line, "block", f->block);
    add_index(&line, "thread", f->thread);
    if (f->pc) {
        add(&line, ",\"pc\":%llu", (unsigned long long)in_program(f->pc));
    }
    if (f->other.file) {
        add(&line, ",");
        add_string(&line, "other_file", f->other.file);
        add(&line, ",\"other_line\":%d", f->other.line);
    }
    if (f->other_pc) {
        add(&line, ",\"other_pc\":%llu", (unsigned long long)in_program(f->other_pc));
    }
    add(&line, ",");
    add_string(&line, "message", message);
    add(&line, "}\n");
    return sim_record(&record, sim_options.findings, line.text, line.length);
}

static void report(const struct sim_finding *f, const char *format, va_list arguments) {
    static int reported[2]; /* apart: no number of notes may hide an error */
    const bool is_note = f->severity != NULL && strcmp(f->severity, "note") == 0;
    if (__atomic_add_fetch(&reported[is_note], 1, __ATOMIC_RELAXED) > MAX_FINDINGS) {
        return;
    }
    char message[MAX_TEXT];
    vsnprintf(message, sizeof message, format, arguments);
    if (append(f, message) && sim_checked) {
        return; /* the grader shows them, with their source lines */
    }
    struct line line = {.length = 0};
    add(&line, "convlabs-sim: ");
    if (f->location.file) {
        add(&line, "%s:%d: ", f->location.file, f->location.line);
    }
    add(&line, "%s\n", message);
    sim_line_clear();
    ssize_t written = write(STDERR_FILENO, line.text, line.length);
    (void)written;
}

void sim_report(const struct sim_finding *f, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(f, format, arguments);
    va_end(arguments);
}

void sim_report_once(const struct sim_finding *f, const char *format, ...) {
    static struct {
        const char *kind, *file;
        const void *pc;
        int line;
    } known[MAX_FINDINGS];
    static unsigned count;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    unsigned i = 0;
    while (i < count && (known[i].kind != f->kind || known[i].line != f->location.line ||
                         known[i].file != f->location.file || known[i].pc != f->pc)) {
        i++;
    }
    const bool is_new = i == count; /* where the table is full, report() sets the limit */
    if (is_new && count < MAX_FINDINGS) {
        known[count].kind = f->kind;
        known[count].file = f->location.file;
        known[count].pc = f->pc;
        known[count++].line = f->location.line;
    }
    pthread_mutex_unlock(&lock);
    if (is_new) {
        va_list arguments;
        va_start(arguments, format);
        report(f, format, arguments);
        va_end(arguments);
    }
}
