#include "steps.h"

#include "crash.h"
#include "evidence/evidence.h"
#include "evidence/json.h"
#include "evidence/our_fault.h"
#include "fence.h"
#include "float_mode.h"
#include "io/file.h"
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define MOST_TEXT ((size_t)64 << 20)
#define MOST_DATA ((size_t)1 << 30)

enum { MAX_WORDS = 5, MOST_ALIGNMENT = 4096 };

/* device_case.c, where a lab has code for the device: before and after the student's calls. */
extern void device_case_step_begins(int number, size_t shared) __attribute__((weak));
extern void device_case_step_ends(struct runner *r) __attribute__((weak));

/* An array of a step, fenced. */
struct place {
    const char *name;
    bool is_input;
    const unsigned char *source; /* of an input: its bytes in the data file */
    uint64_t offset;             /* of an output, in the results file */
    struct npy array;
    struct fence fence;
};

struct step {
    struct runner r;
    struct place place[2 * MAX_NAMED];
    int places;
    bool at_end, out_at_end, read_only;
    size_t alignment, shared; /* alignment: 0 for that of the elements */
    size_t shift;             /* of arrays at the start of their pages, in bytes */
};

static struct step now, before; /* `before` has the arrays that the last step has left held */
static int number;              /* of the step */
static int status_file = -1;
static const unsigned char *data;
static size_t data_bytes;

/* ---------------------------------------------------------------- the steps file */

/* Splits the line at spaces; the last word may have spaces. Returns how many there are. */
static int split(char *line, char **word, int most) {
    int count = 0;
    while (count < most - 1) {
        word[count++] = line;
        line = strchr(line, ' ');
        if (line == NULL) {
            return count;
        }
        *line++ = '\0';
    }
    word[count++] = line;
    return count;
}

static uint64_t whole_number(const char *text) {
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || *text == '-') {
        our_fault("steps: '%s' is no number", text);
    }
    return value;
}

/* A whole number that is `most` at most. */
static uint64_t number_up_to(uint64_t most, const char *text) {
    const uint64_t value = whole_number(text);
    if (value > most) {
        our_fault("steps: '%s' is above %llu", text, (unsigned long long)most);
    }
    return value;
}

/* 0, or a power of 2 up to that of a page, which fence_make() takes. */
static size_t alignment_of(const char *text) {
    const size_t value = number_up_to(MOST_ALIGNMENT, text);
    if ((value & (value - 1)) != 0) {
        our_fault("steps: the alignment %zu is no power of 2", value);
    }
    return value;
}

/* "f4" and "3x5" into type, shape and bytes. */
static struct npy array_of(const char *type, char *shape) {
    struct npy a = {.ndim = 0};
    if (strlen(type) != 2) {
        our_fault("steps: there is no type %s", type);
    }
    snprintf(a.type, sizeof a.type, "%c%s", strcmp(type, "u1") == 0 ? '|' : '<', type);
    for (char *side = strtok(shape, "x"); side && a.ndim < NPY_MAX_DIMS; side = strtok(NULL, "x")) {
        a.shape[a.ndim++] = (int)number_up_to(INT_MAX, side);
    }
    if (a.ndim == 0 || npy_bytes(a.type, a.ndim, a.shape, &a.bytes) != 0) {
        our_fault("steps: an array of type %s has a wrong shape", type);
    }
    return a;
}

static void add_array(bool is_input, char **word) {
    if (now.places == 2 * MAX_NAMED) {
        our_fault("steps: a step has more than %d arrays", 2 * MAX_NAMED);
    }
    struct place *p = &now.place[now.places++];
    *p = (struct place){.name = word[1], .is_input = is_input, .array = array_of(word[2], word[3])};
    p->offset = number_up_to(INT64_MAX - p->array.bytes, word[4]);
    if (is_input) {
        if (p->offset > data_bytes || p->array.bytes > data_bytes - p->offset) {
            our_fault("steps: the input %s lies outside the data file", p->name);
        }
        p->source = data + p->offset;
    }
}

static void add_setting(const char *name, const char *value) {
    if (now.r.settings == MAX_NAMED) {
        our_fault("steps: a step has more than %d settings", MAX_NAMED);
    }
    now.r.setting[now.r.settings++] = (struct setting){name, value};
}

/* One line that is not `step PART`. */
static void read_line(char *line) {
    char *word[MAX_WORDS] = {NULL};
    const bool is_setting = strncmp(line, "set ", 4) == 0;
    const int words = split(line, word, is_setting ? 3 : MAX_WORDS);
    if (is_setting && words == 3) {
        add_setting(word[1], word[2]);
    } else if (strcmp(word[0], "in") == 0 && words == 5) {
        add_array(true, word);
    } else if (strcmp(word[0], "out") == 0 && words == 5) {
        add_array(false, word);
    } else if (strcmp(word[0], "place") == 0 && words == 3) {
        now.at_end = strcmp(word[1], "end") == 0;
        now.out_at_end = strcmp(word[2], "end") == 0;
    } else if (strcmp(word[0], "align") == 0 && words == 2) {
        now.alignment = alignment_of(word[1]);
    } else if (strcmp(word[0], "shift") == 0 && words == 2) {
        now.shift = alignment_of(word[1]);
    } else if (strcmp(word[0], "shared") == 0 && words == 2) {
        now.shared = whole_number(word[1]);
    } else if (strcmp(word[0], "read-only") == 0 && words == 1) {
        now.read_only = true;
    } else if (strcmp(word[0], "hold") == 0 && words == 1) {
        now.r.holds = true;
    } else if (strcmp(word[0], "count") == 0 && words == 1) {
        now.r.counts = true;
    } else if (strcmp(word[0], "fail") == 0 && words == 3) {
        const bool is_launch = strcmp(word[1], "launch") == 0;
        now.r.failing_call = is_launch ? RUNNER_FIRST_LAUNCH : (int)number_up_to(INT_MAX, word[1]);
        now.r.failing_with = (int)number_up_to(INT_MAX, word[2]);
    } else {
        our_fault("steps: a line begins with '%s'", word[0]);
    }
}

/* ---------------------------------------------------------------- a fault at a forbidden page */

static void report(const char *text, size_t length) {
    evidence_write(EVIDENCE_STATUS, text, length);
    while (status_file >= 0 && length > 0) {
        const ssize_t written = write(status_file, text, length);
        if (written <= 0) {
            return;
        }
        text += written;
        length -= (size_t)written;
    }
}

static bool was_write(const void *context) {
#if defined(__x86_64__)
    return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2;
#else
    (void)context;
    return false;
#endif
}

/* The array whose fence holds the address, or NULL. */
static const struct place *place_at(const unsigned char *address) {
    for (int i = 0; i < now.places; i++) {
        const struct fence *f = &now.place[i].fence;
        if (f->mapping && address >= f->mapping && address < f->mapping + f->mapped) {
            return &now.place[i];
        }
    }
    return NULL;
}

static struct sigaction handler_before; /* of crash.h */

/* The signal handler: says what was accessed, then lets the signal end the process. */
static void explain(int signal_number, siginfo_t *info, void *context) {
    const unsigned char *address = info->si_addr;
    const struct place *p = place_at(address);
    if (p == NULL) {
        sigaction(signal_number, &handler_before, NULL); /* it says more of other addresses */
        return;
    }
    signal(signal_number, SIG_DFL);
    const bool is_inside = address >= p->fence.data && address < p->fence.data + p->fence.bytes;
    char text[256];
    const int length = snprintf(text, sizeof text, "{\"step\":%d,\"fault\":\"%s %s%s\"}\n", number,
                                is_inside || was_write(context) ? "wrote to" : "read",
                                is_inside                 ? "the input "
                                : address < p->fence.data ? "memory before the beginning of "
                                                          : "memory past the end of ",
                                p->name);
    report(text, (size_t)length);
}

/* Once a kernel has run, the simulator explains faults, and leaves those of host code to this. */
static void explain_faults(void) {
    static bool is_explained;
    if (is_explained) {
        return;
    }
    is_explained = true;
    struct sigaction action = {.sa_sigaction = explain, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &handler_before);
}

/* ---------------------------------------------------------------- one step */

/* The memory of an array: that of the step before where it was held, else new. */
static struct fence memory_for(const struct place *p) {
    for (int i = 0; i < before.places && before.r.holds; i++) {
        struct place *old = &before.place[i];
        if (old->fence.mapping && old->fence.bytes == p->array.bytes &&
            old->is_input == p->is_input && strcmp(old->name, p->name) == 0) {
            const struct fence fence = old->fence;
            old->fence = (struct fence){0};
            return fence;
        }
    }
    const size_t element = (size_t)(p->array.type[2] - '0');
    const bool at_end = p->is_input ? now.at_end : now.out_at_end;
    const size_t shift = at_end ? 0 : now.shift;
    struct fence fence =
        fence_make(p->array.bytes + shift, now.alignment > 0 ? now.alignment : element, at_end);
    if (shift > 0) {
        fence_begin_later(&fence, shift);
    }
    return fence;
}

static void prepare(void) {
    for (int i = 0; i < now.places; i++) {
        struct place *p = &now.place[i];
        p->fence = memory_for(p);
        p->array.data = p->fence.data;
        if (p->is_input) {
            memcpy(p->fence.data, p->source, p->array.bytes);
            if (now.read_only && !now.r.holds) {
                fence_make_read_only(&p->fence);
            }
            now.r.input[now.r.inputs++] = (struct input){.name = p->name, .array = p->array};
        } else {
            runner_poison(&p->array);
            now.r.output[now.r.outputs++] = (struct output){.name = p->name, .array = p->array};
        }
    }
}

/* The words of runner.h for the guards of all arrays. */
static const char *guards(void) {
    bool is_before = false, is_after = false;
    for (int i = 0; i < now.places; i++) {
        is_before |= fence_broken_before(&now.place[i].fence);
        is_after |= fence_broken_after(&now.place[i].fence);
    }
    return is_before  ? is_after ? "written before and after" : "written before"
           : is_after ? "written after"
                      : "intact";
}

static const char *changed_input(void) {
    for (int i = 0; i < now.places; i++) {
        const struct place *p = &now.place[i];
        if (p->is_input && memcmp(p->fence.data, p->source, p->array.bytes) != 0) {
            return p->name;
        }
    }
    return now.r.changed ? now.r.changed : "";
}

static void write_outputs(int results) {
    for (int i = 0; i < now.places; i++) {
        const struct place *p = &now.place[i];
        if (results >= 0 && !p->is_input &&
            pwrite(results, p->array.data, p->array.bytes, (off_t)p->offset) !=
                (ssize_t)p->array.bytes) {
            disk_fault("the results cannot be written: %s", strerror(errno));
        }
    }
}

static void write_status(const char *guards_say) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    if (!file) {
        our_fault("not enough memory for the status");
    }
    fprintf(file, "{\"step\":%d,\"returned\":%d,\"error\":", number, now.r.returned);
    json_write(file, now.r.error);
    fprintf(file, ",\"guards\":\"%s\",\"changed\":\"%s\",\"failed_call\":\"%s\",\"failed_line\":%d",
            guards_say, changed_input(), now.r.failed_call ? now.r.failed_call : "",
            now.r.failed_line);
    fprintf(file, ",\"left\":\"%s\"", now.r.left);
    const bool counted = now.r.counts && now.r.calls[0];
    fprintf(file, "%s%s}\n", counted ? now.r.calls : "", counted ? "]" : "");
    if (fclose(file) != 0) {
        our_fault("not enough memory for the status");
    }
    report(text, bytes);
    free(text);
}

static void remove_arrays(struct step *step) {
    for (int i = 0; i < step->places; i++) {
        fence_remove(&step->place[i].fence);
    }
    step->places = 0;
}

static void run_step(int results) {
    prepare();
    remove_arrays(&before);
    if (device_case_step_begins) {
        device_case_step_begins(number, now.shared);
    }
    const unsigned long mode = float_mode();
    lab_run(&now.r);
    const bool other_mode = float_mode() != mode;
    set_float_mode(mode);
    if (device_case_step_ends) {
        device_case_step_ends(&now.r);
    }
    if (other_mode && !now.r.left[0]) {
        runner_note_left(&now.r, "another floating-point mode (rounding, or denormals as 0)");
    }
    const char *say = guards();
    write_outputs(results);
    write_status(say);
    before = now;
    if (!now.r.holds) {
        remove_arrays(&before);
    }
}

/* An existing file: the sandbox allows no other. */
static int open_for_writing(const char *path) {
    const int file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) {
        our_fault("%s cannot be opened: %s", path, strerror(errno));
    }
    return file;
}

void run_steps(const char *steps, const char *data_path, const char *results_path,
               const char *status_path) {
    char error[512];
    unsigned char *text, *bytes;
    size_t length;
    if (file_read(steps, MOST_TEXT, &text, &length, error, sizeof error) != 0 ||
        file_read(data_path, MOST_DATA, &bytes, &data_bytes, error, sizeof error) != 0) {
        our_fault("%s", error);
    }
    data = bytes;
    const int results = strcmp(results_path, "-") == 0 ? -1 : open_for_writing(results_path);
    status_file = status_path ? open_for_writing(status_path) : -1;
    crash_catch();
    explain_faults();

    number = 0;
    bool is_open = false;
    char *rest = (char *)text, *end = rest + length;
    while (rest < end) {
        char *line = rest, *newline = memchr(rest, '\n', (size_t)(end - rest));
        if (newline == NULL) {
            our_fault("steps: the last line has no end");
        }
        *newline = '\0';
        rest = newline + 1;
        if (strncmp(line, "step ", 5) != 0) {
            if (!is_open) {
                our_fault("steps: the first line begins no step");
            }
            read_line(line);
            continue;
        }
        if (is_open) {
            run_step(results);
            number++;
        }
        now = (struct step){.at_end = true, .out_at_end = true, .r = {.part = line + 5}};
        is_open = true;
    }
    if (is_open) {
        run_step(results);
        now.r.holds = false;
        remove_arrays(&before);
    }
    if (results >= 0) {
        close(results);
    }
    if (status_file >= 0) {
        close(status_file);
    }
    free(text);
    free(bytes);
}
