#include "base/findings.h"

#include "base/options.h"
#include "base/record.h"
#include "base/terminal_line.h"
#include "evidence/json.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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

#define MAX_FINDINGS 200 /* of errors, and of notes: a broken program may repeat one forever */

/* A line of text that grows; what does not fit is cut off. */
struct line {
    char text[8192];
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

#define ROOM_AFTER 2560 /* bytes kept free for all keys and numbers that follow a string */

static void add_text(struct line *line, const char *key, const char *text) {
    if (text == NULL || text[0] == '\0') {
        return;
    }
    add(line, "\"%s\":\"", key);
    if (line->length < sizeof line->text - ROOM_AFTER) {
        size_t room = sizeof line->text - ROOM_AFTER - line->length;
        line->length += json_escape(line->text + line->length, room, text);
    }
    add(line, "\",");
}

static void add_number(struct line *line, const char *key, long long number) {
    if (number != 0) {
        add(line, "\"%s\":%lld,", key, number);
    }
}

static void add_triple(struct line *line, const char *key, long long x, long long y, long long z) {
    add(line, "\"%s\":[%lld,%lld,%lld],", key, x, y, z);
}

static void add_index(struct line *line, const char *key, const uint3 *index) {
    if (index) {
        add_triple(line, key, index->x, index->y, index->z);
    }
}

static void add_extent(struct line *line, const char *key, dim3 extent) {
    if (extent.x || extent.y || extent.z) {
        add_triple(line, key, extent.x, extent.y, extent.z);
    }
}

static void add_size(struct line *line, const char *key, struct sim_triple size) {
    if (size.x || size.y || size.z) {
        add_triple(line, key, size.x, size.y, size.z);
    }
}

static void add_pc(struct line *line, const char *key, const void *pc) {
    add_number(line, key, pc ? (long long)finding_address(pc) : 0);
}

/* The keys `file` and `line`, behind this prefix. */
static void add_location(struct line *line, const char *prefix, struct sim_location at) {
    if (at.file) {
        char key[32];
        snprintf(key, sizeof key, "%sfile", prefix);
        add_text(line, key, at.file);
    }
    if (at.line) {
        add(line, "\"%sline\":%d,", prefix, at.line);
    }
}

/* In place of the comma after the last member. */
static void end_object(struct line *line) {
    line->length -= line->text[line->length - 1] == ',';
    add(line, "}");
}

static void add_object(struct line *line, const struct sim_object *o) {
    if (o->space == NULL) {
        return;
    }
    add(line, "\"object\":{");
    add_text(line, "space", o->space);
    add_text(line, "name", o->name);
    add_number(line, "bytes", (long long)o->bytes);
    add_location(line, "", o->made);
    add_location(line, "gone_", o->gone);
    add_number(line, "element", (long long)o->element);
    add_number(line, "rows", o->rows);
    add_number(line, "columns", o->columns);
    end_object(line);
    add(line, ",");
}

static void add_place(struct line *line, const struct sim_finding *f) {
    add_text(line, "kernel", f->kernel);
    if (step >= 0) {
        add(line, "\"step\":%d,", step);
    }
    if (f->block && sim_options.steps.what != STEPS_NONE) {
        add(line, "\"launch\":%d,", launch);
    }
    add_index(line, "block", f->block);
    add_index(line, "thread", f->thread);
    add_index(line, "block_size", f->block_size);
    add_pc(line, "pc", f->pc);
    add_location(line, "other_", f->other);
    add_pc(line, "other_pc", f->other_pc);
    add_index(line, "other_thread", f->other_thread);
    add_text(line, "other_kernel", f->other_kernel);
    add_text(line, "other_call", f->other_call);
}

static void add_content(struct line *line, const struct sim_finding *f) {
    add_text(line, "verb", f->verb);
    add_text(line, "other_verb", f->other_verb);
    add_number(line, "bytes", (long long)f->bytes);
    add_object(line, &f->object);
    add_number(line, "offset", f->offset);
    if (f->address) {
        add(line, "\"address\":%llu,", (unsigned long long)(uintptr_t)f->address);
    }
    add_text(line, "call", f->call);
    add_text(line, "side", f->side);
    add_text(line, "error", f->error);
    if (f->is_unchecked) {
        add(line, "\"unchecked\":true,");
    }
    add_number(line, "value", f->value);
    add_number(line, "limit", f->limit);
    add_number(line, "number", f->number);
    add_number(line, "mask", f->mask);
    add_text(line, "text", f->text);
    add_text(line, "cause", f->cause);
    add_text(line, "awaits", f->awaits);
    add_text(line, "other_awaits", f->other_awaits);
    add_location(line, "place_", f->place);
    add_size(line, "at", f->at);
    add_size(line, "size", f->size);
    add_size(line, "extent", f->extent);
    add_extent(line, "grid", f->grid);
    add_extent(line, "threads", f->threads);
}

/* Returns where the members begin that print_record() shows as they are. */
static size_t write_record(struct line *line, const struct sim_finding *f) {
    const struct finding_words *words = &finding_words[f->found];
    add(line, "{");
    add_text(line, "severity", f->severity ? f->severity : "error");
    add_text(line, "kind", words->kind);
    add_text(line, "case", words->which);
    add_location(line, "", f->location);
    const size_t rest = line->length;
    add_place(line, f);
    add_content(line, f);
    end_object(line);
    add(line, "\n");
    return rest;
}

/* The members of a record for people: `verb read, bytes 4, object {space shared, ...}`. */
static void add_readable(struct line *line, const char *text) {
    bool quoted = false;
    for (; *text && line->length < sizeof line->text - 3; text++) {
        if (*text == '"') {
            quoted = !quoted;
        } else if (!quoted && (*text == ',' || *text == ':')) {
            add(line, *text == ',' && text[1] == '"' ? ", " : *text == ',' ? "," : " ");
        } else {
            text += quoted && *text == '\\';
            line->text[line->length++] = *text;
        }
    }
}

static void print_record(const struct sim_finding *f, const char *rest) {
    const struct finding_words *words = &finding_words[f->found];
    struct line line = {.length = 0};
    add(&line, "convlabs-sim: ");
    if (f->location.file) {
        add(&line, "%s:%d: ", f->location.file, f->location.line);
    }
    add(&line, words->which[0] ? "%s (%s): " : "%s: ", words->kind, words->which);
    add_readable(&line, rest);
    if (line.length > 1 && line.text[line.length - 2] == '}') {
        line.text[--line.length - 1] = '\n'; /* the brace that ends the record */
    }
    sim_line_clear();
    ssize_t written = write(STDERR_FILENO, line.text, line.length);
    (void)written;
}

bool sim_same_kind(enum finding_kind one, enum finding_kind other) {
    return strcmp(finding_words[one].kind, finding_words[other].kind) == 0;
}

static int reported[2]; /* errors and notes apart: no number of notes may hide an error */

static bool line_is_open; /* what the program has flushed does not end with a newline */

void sim_see_last_line(void) {
    if (stdout->_IO_write_ptr > stdout->_IO_write_base) {
        line_is_open = stdout->_IO_write_ptr[-1] != '\n';
    }
}

/* A program of ./grade run is linked with --wrap=fflush. */
int __wrap_fflush(FILE *file);
int __wrap_fflush(FILE *file) {
    sim_see_last_line();
    if (file == NULL) {
        return fflush_unlocked(NULL); /* all of them; it locks each */
    }
    flockfile(file);
    const int failed = fflush_unlocked(file);
    funlockfile(file);
    return failed;
}

/* The program's last line gets its end, where what ./grade run prints would follow on it in one
 * file or pipe; on a terminal ./grade run sees to that. The last of the destructors, behind those
 * that report something. */
__attribute__((destructor(101))) static void end_last_line(void) {
    const bool is_followed = reported[0] || reported[1] || sim_options.check || sim_options.profile;
    struct stat out, err;
    sim_see_last_line();
    if (line_is_open && is_followed && sim_options.findings && !evidence_is_open() &&
        !isatty(STDOUT_FILENO) && fstat(STDOUT_FILENO, &out) == 0 &&
        fstat(STDERR_FILENO, &err) == 0 && out.st_dev == err.st_dev && out.st_ino == err.st_ino) {
        putchar('\n');
    }
}

void sim_report(const struct sim_finding *f) {
    static struct sim_record record = {EVIDENCE_FINDING, false};
    const bool is_note = f->severity != NULL && strcmp(f->severity, "note") == 0;
    if (__atomic_add_fetch(&reported[is_note], 1, __ATOMIC_RELAXED) > MAX_FINDINGS) {
        return;
    }
    struct line line = {.length = 0};
    const size_t rest = write_record(&line, f);
    if (!sim_record(&record, sim_options.findings, line.text, line.length)) {
        print_record(f, line.text + rest);
    }
}

void sim_report_once(const struct sim_finding *f) {
    static struct {
        const char *file;
        const void *pc;
        enum finding_kind found;
        int line;
    } known[MAX_FINDINGS];
    static unsigned count;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    unsigned i = 0;
    while (i < count && (known[i].line != f->location.line || known[i].file != f->location.file ||
                         known[i].pc != f->pc || !sim_same_kind(known[i].found, f->found))) {
        i++;
    }
    const bool is_new = i == count; /* where the table is full, sim_report() sets the limit */
    if (is_new && count < MAX_FINDINGS) {
        known[count].found = f->found;
        known[count].file = f->location.file;
        known[count].pc = f->pc;
        known[count++].line = f->location.line;
    }
    pthread_mutex_unlock(&lock);
    if (is_new) {
        sim_report(f);
    }
}
