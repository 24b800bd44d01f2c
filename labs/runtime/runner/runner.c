#include "runner.h"

#include "crash.h"
#include "evidence/evidence.h"
#include "evidence/json.h"
#include "evidence/our_fault.h"
#include "io/file.h"
#include "io/image.h"
#include "state.h"
#include "steps.h"
#include "try_edits.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

#define GUARD ((size_t)4096)
#define PAGE ((size_t)4096)
#define FENCE ((size_t)1 << 20) /* around both guard zones */
#define POISON 0xff
#define SIGNALLING_FLOAT UINT32_C(0xffb5c3a7)
#define SIGNALLING_DOUBLE UINT64_C(0xfff5c3a7e1d2b496)

static const char usage[] =
    "usage: run --part PART [--in NAME=FILE]... [--repeat NAME=SIDExSIDE...] [--set NAME=VALUE]...\n"
    "           [--out NAME=FILE:TYPE:SIDExSIDE...]... [--status FILE]\n"
    "       run --steps FILE --data FILE --results FILE [--status FILE]\n"
    "       run --edits N,N... --value FILE --bound FILE --at-once N --part PART ...\n"
    "  --then  between two of these runs them in one process: with a GPU, one takes 0.3 s to begin\n"
    "  --in    a .npy array, or a .png, .pgm or .ppm picture (its luminance, 0..1)\n"
    "  --out   TYPE is f4, f8, u1 or i4; raw bytes; a picture where FILE ends in .png; - for none\n";

static bool ends_in(const char *path, const char *suffix) {
    size_t n = strlen(path), m = strlen(suffix);
    return n >= m && strcasecmp(path + n - m, suffix) == 0;
}

/* ---------------------------------------------------------------- arguments */

/* Splits NAME=REST in place: `text` becomes the name. Returns the rest. */
static char *split_name(const char *option, char *text) {
    char *equals = strchr(text, '=');
    if (!equals || equals == text)
        our_fault("%s needs NAME=..., but its value is '%s'", option, text);
    *equals = '\0';
    if (text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")])
        our_fault("%s: the name '%s' may have letters, digits and _ only", option, text);
    return equals + 1;
}

static void read_picture(const char *path, struct npy *a, char *error, size_t size) {
    float *pixels = NULL;
    int width = 0, height = 0;
    if (image_read(path, &pixels, &width, &height, error, size) != 0)
        our_fault("%s", error);
    *a = (struct npy){"<f4", 2, {height, width}, 0, pixels};
    a->bytes = (size_t)width * (size_t)height * sizeof *pixels;
}

static void add_input(struct runner *r, char *text) {
    char *path = split_name("--in", text);
    for (int i = 0; i < r->inputs; i++)
        if (strcmp(r->input[i].name, text) == 0)
            our_fault("--in %s was given twice", text);
    if (r->inputs == MAX_NAMED)
        our_fault("--in can be given %d times at most", MAX_NAMED);
    struct input *in = &r->input[r->inputs++];
    in->name = text;
    in->path = path;
    char error[512];
    if (ends_in(path, ".png") || ends_in(path, ".pgm") || ends_in(path, ".ppm"))
        read_picture(path, &in->array, error, sizeof error);
    else if (npy_read(path, &in->array, error, sizeof error) != 0)
        our_fault("%s", error);
}

/* "61x97" into a shape. */
static bool read_shape(const char *text, struct npy *a) {
    for (const char *at = text; a->ndim < NPY_MAX_DIMS; at++) {
        char *end;
        if (*at < '0' || *at > '9')
            return false;
        unsigned long side = strtoul(at, &end, 10);
        if (end - at > 9)
            return false;
        a->shape[a->ndim++] = (int)side;
        at = end;
        if (*at == '\0')
            return true;
        if (*at != 'x')
            return false;
    }
    return false;
}

/* "image=4096x4096" */
static void repeat_input(struct runner *r, char *text) {
    static struct repeated repeated;
    const char *how = split_name("--repeat", text);
    struct npy longer = {.ndim = 0};
    if (!read_shape(how, &longer))
        our_fault("--repeat %s needs a shape, such as 4096x4096", text);
    if (repeated.period > 0)
        our_fault("--repeat can be given once");
    for (int i = 0; i < r->inputs; i++) {
        struct input *in = &r->input[i];
        if (strcmp(in->name, text) != 0)
            continue;
        if (!repeated_lengthen(&repeated, &in->array, in->path, longer))
            our_fault("the input %s cannot be repeated to %s", text, how);
        in->repeated = &repeated;
        return;
    }
    our_fault("--repeat %s comes after --in %s=FILE", text, text);
}

static void add_setting(struct runner *r, char *text) {
    const char *value = split_name("--set", text);
    for (int i = 0; i < r->settings; i++)
        if (strcmp(r->setting[i].name, text) == 0)
            our_fault("--set %s was given twice", text);
    if (r->settings == MAX_NAMED)
        our_fault("--set can be given %d times at most", MAX_NAMED);
    r->setting[r->settings++] = (struct setting){text, value};
}

unsigned char runner_guard_byte(size_t i) {
    return (unsigned char)(0xa5u ^ i * 37u);
}

/* In a program built with AddressSanitizer these make a student's access to a guard zone a finding
 * with its line; in any other program they do not exist. */
extern void __asan_poison_memory_region(const volatile void *, size_t) __attribute__((weak));
extern void __asan_unpoison_memory_region(const volatile void *, size_t) __attribute__((weak));

/* Any value of a byte may be right, so each byte of an output holds another one before the call:
 * the grader then sees which were never written, where a single value could also be a result. */
static unsigned char byte_before(size_t i) {
    return (unsigned char)(i * 0x9du ^ i >> 8 ^ 0x5bu);
}

/* Fills memory for elements of an output's type. A float or double becomes a signalling NaN, which
 * arithmetic turns into a quiet one: so the grader can tell an element that was never written from
 * one that was added to. No other memory holds these bits. */
static void poison(const char *type, unsigned char *data, size_t bytes) {
    memset(data, POISON, bytes);
    if (strcmp(type, "|u1") == 0)
        for (size_t i = 0; i < bytes; i++)
            data[i] = byte_before(i);
    const uint32_t single = SIGNALLING_FLOAT;
    const uint64_t wide = SIGNALLING_DOUBLE;
    if (strcmp(type, "<f4") == 0)
        for (size_t i = 0; i < bytes; i += sizeof single)
            memcpy(data + i, &single, sizeof single);
    if (strcmp(type, "<f8") == 0)
        for (size_t i = 0; i < bytes; i += sizeof wide)
            memcpy(data + i, &wide, sizeof wide);
}

void runner_poison(const struct npy *a) {
    poison(a->type, a->data, a->bytes);
}

/* Is it written to a file? In a sequence its path is NULL. */
static bool is_kept(const struct output *out) {
    return !out->path || strcmp(out->path, "-") != 0;
}

/* The bytes of an output with its guard zones and, around those, memory that nobody may access: a
 * write far outside crashes at its line, and leaves malloc()'s own data as they are. */
static size_t mapped(const struct output *out) {
    const size_t inside = GUARD + out->array.bytes + GUARD;
    return FENCE + (inside + PAGE - 1) / PAGE * PAGE + FENCE;
}

static void allocate(struct output *out) {
    const size_t all = mapped(out);
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    unsigned char *memory = mmap(NULL, all, PROT_NONE, flags, -1, 0);
    if (memory == MAP_FAILED ||
        mprotect(memory + FENCE, all - 2 * FENCE, PROT_READ | PROT_WRITE) != 0)
        our_fault("not enough memory for the output %s of %zu bytes", out->name, out->array.bytes);
    out->memory = memory + FENCE;
    out->array.data = out->memory + GUARD;
    for (size_t i = 0; i < GUARD; i++) {
        out->memory[i] = runner_guard_byte(i);
        out->memory[GUARD + out->array.bytes + i] = runner_guard_byte(i);
    }
    if (is_kept(out))
        runner_poison(&out->array);
    if (__asan_poison_memory_region) {
        __asan_poison_memory_region(out->memory, GUARD);
        __asan_poison_memory_region(out->memory + GUARD + out->array.bytes, GUARD);
    }
}

static void add_output(struct runner *r, char *text) {
    char *path = split_name("--out", text);
    for (int i = 0; i < r->outputs; i++)
        if (strcmp(r->output[i].name, text) == 0)
            our_fault("--out %s was given twice", text);
    if (r->outputs == MAX_NAMED)
        our_fault("--out can be given %d times at most", MAX_NAMED);
    struct output *out = &r->output[r->outputs++];
    out->name = text;
    out->path = path;
    /* From the right: a path may contain colons. */
    char *shape = strrchr(path, ':');
    if (shape)
        *shape++ = '\0';
    char *type = strrchr(path, ':');
    if (!shape || !type || type == path || strlen(type + 1) != 2)
        our_fault("--out %s needs FILE:TYPE:SHAPE, such as out.raw:f4:61x97", text);
    *type++ = '\0';
    struct npy *a = &out->array;
    snprintf(a->type, sizeof a->type, "%c%s", strcmp(type, "u1") == 0 ? '|' : '<', type);
    if (!read_shape(shape, a) || npy_bytes(a->type, a->ndim, a->shape, &a->bytes) != 0)
        our_fault("--out %s: '%s:%s' is not a type and a shape such as f4:61x97", text, type,
                  shape);
    if (ends_in(path, ".png") && (a->ndim != 2 || strcmp(type, "f4") != 0))
        our_fault("--out %s: a picture is written from f4 and two sides only", text);
    allocate(out);
}

static void read_arguments(struct runner *r, int argc, char **argv) {
    for (int i = 0; i < argc; i += 2) {
        const char *option = argv[i];
        if (strcmp(option, "--help") == 0) {
            fputs(usage, stdout);
            exit(0);
        }
        char *value = i + 1 < argc ? argv[i + 1] : NULL;
        bool known = true;
        if (strcmp(option, "--part") && strcmp(option, "--in") && strcmp(option, "--set") &&
            strcmp(option, "--repeat") && strcmp(option, "--out") && strcmp(option, "--status"))
            known = false;
        if (!known || !value) {
            fputs(usage, stderr);
            our_fault(known ? "%s needs a value" : "unknown option '%s'", option);
        }
        if (strcmp(option, "--part") == 0)
            r->part = value;
        else if (strcmp(option, "--status") == 0)
            r->status = value;
        else if (strcmp(option, "--in") == 0)
            add_input(r, value);
        else if (strcmp(option, "--repeat") == 0)
            repeat_input(r, value);
        else if (strcmp(option, "--set") == 0)
            add_setting(r, value);
        else
            add_output(r, value);
    }
    if (!r->part)
        our_fault("--part is missing; --help shows the options");
}

/* ---------------------------------------------------------------- what a driver asks for */

const struct npy *runner_input(const struct runner *r, const char *name, const char *type) {
    for (int i = 0; i < r->inputs; i++) {
        const struct npy *a = &r->input[i].array;
        if (strcmp(r->input[i].name, name) != 0)
            continue;
        if (type && strcmp(a->type, type) != 0)
            our_fault("the input %s has elements of type %s, but %s is needed", name, a->type,
                      type);
        return a;
    }
    our_fault("the input %s is missing: --in %s=FILE", name, name);
}

const struct repeated *runner_repeated(const struct runner *r, const void *data) {
    for (int i = 0; i < r->inputs; i++)
        if (r->input[i].array.data == data)
            return r->input[i].repeated;
    return NULL;
}

bool runner_keeps_output(const struct runner *r) {
    bool keeps = false;
    for (int i = 0; i < r->outputs; i++)
        keeps = keeps || is_kept(&r->output[i]);
    return keeps;
}

const char *runner_setting(const struct runner *r, const char *name, const char *otherwise) {
    for (int i = 0; i < r->settings; i++)
        if (strcmp(r->setting[i].name, name) == 0)
            return r->setting[i].value;
    return otherwise;
}

void *runner_output(struct runner *r, const char *name, size_t bytes) {
    for (int i = 0; i < r->outputs; i++) {
        struct output *out = &r->output[i];
        if (strcmp(out->name, name) != 0)
            continue;
        if (out->array.bytes != bytes)
            our_fault("the output %s has room for %zu bytes, but %zu are needed", name,
                      out->array.bytes, bytes);
        return out->array.data;
    }
    our_fault("the output %s is missing: --out %s=FILE:TYPE:SHAPE", name, name);
}

void runner_fill_unwritten(const struct runner *r, void *memory, size_t bytes) {
    const char *type = "|u1";
    for (int i = 0; i < r->outputs; i++)
        if (r->output[i].array.bytes == bytes)
            type = r->output[i].array.type;
    poison(type, memory, bytes);
}

const char *runner_part(const struct runner *r) {
    return r->part;
}

void runner_no_such_part(const struct runner *r) {
    our_fault("the lab has no part '%s'", r->part);
}

enum border runner_border(const struct runner *r) {
    const char *border = runner_setting(r, "border", "zero");
    return strcmp(border, "zero") == 0 ? BORDER_ZERO : BORDER_REPLICATE;
}

void runner_fail(struct runner *r, int returned, const char *format, ...) {
    if (r->returned != 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->error, sizeof r->error, format, arguments);
    va_end(arguments);
    r->returned = returned;
}

bool runner_failed(const struct runner *r) {
    return r->returned != 0;
}

bool runner_holds(const struct runner *r) {
    return r->holds;
}

int runner_failing_call(const struct runner *r, int *error) {
    *error = r->failing_with;
    return r->failing_call;
}

void runner_calls_student(void) {
    static bool has_called;
    if (!has_called)
        evidence_write(EVIDENCE_CALL, "", 0);
    has_called = true;
}

/* Appends to what is reported of the calls. */
__attribute__((format(printf, 2, 3))) static void add_calls(struct runner *r, const char *format,
                                                            ...) {
    const size_t used = strlen(r->calls);
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(r->calls + used, sizeof r->calls - used, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof r->calls - used) {
        r->calls[used] = '\0'; /* one site less, and none cut off */
    }
}

void runner_note_calls(struct runner *r, int calls) {
    r->calls[0] = '\0';
    add_calls(r, ",\"calls\":%d,\"sites\":[", calls);
}

void runner_note_site(struct runner *r, const char *name, int line, int first, int last) {
    const char *comma = r->calls[strlen(r->calls) - 1] == '[' ? "" : ",";
    add_calls(r, "%s[\"%s\",%d,%d,%d]", comma, name, line, first, last);
}

void runner_note_failed_call(struct runner *r, const char *name, int line) {
    r->failed_call = name;
    r->failed_line = line;
}

void runner_note_changed(struct runner *r, const char *input) {
    r->changed = input;
}

void runner_note_not_copied(struct runner *r, size_t bytes) {
    r->not_copied = bytes;
}

void runner_note_seen(struct runner *r, size_t bytes) {
    r->on_device = true;
    r->seen = bytes;
}

void runner_note_left(struct runner *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->left, sizeof r->left, format, arguments);
    va_end(arguments);
}

/* ---------------------------------------------------------------- after the call */

static bool intact(const unsigned char *guard) {
    for (size_t i = 0; i < GUARD; i++)
        if (guard[i] != runner_guard_byte(i))
            return false;
    return true;
}

static const char *guards(const struct output *out) {
    bool before = intact(out->memory);
    bool after = intact(out->memory + GUARD + out->array.bytes);
    if (before && after)
        return "intact";
    if (after)
        return "written before";
    return before ? "written after" : "written before and after";
}

static void write_output(const struct output *out) {
    const struct npy *a = &out->array;
    char error[512];
    int status;
    if (!is_kept(out))
        status = 0;
    else if (ends_in(out->path, ".png"))
        status = image_write(out->path, a->data, a->shape[1], a->shape[0], error, sizeof error);
    else
        status = file_write(out->path, NULL, 0, a->data, a->bytes, error, sizeof error);
    if (status != 0)
        disk_fault("%s", error);
}

static void free_output(const struct output *out) {
    munmap(out->memory - FENCE, mapped(out));
}

static void free_input(struct input *in) {
    if (in->repeated)
        repeated_free(in->repeated, &in->array);
    else
        npy_free(&in->array);
}

static void write_status(const struct runner *r) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    if (!file)
        our_fault("not enough memory for the status");
    fprintf(file, "{\"completed\":true,\"returned\":%d,\"error\":", r->returned);
    json_write(file, r->error);
    fputs(",\"outputs\":[", file);
    for (int i = 0; i < r->outputs; i++)
        fprintf(file, "%s{\"name\":\"%s\",\"guards\":\"%s\"}", i > 0 ? "," : "", r->output[i].name,
                guards(&r->output[i]));
    fputs("]", file);
    if (r->on_device)
        fprintf(file, ",\"seen_by_host\":%zu", r->seen);
    if (r->not_copied > 0)
        fprintf(file, ",\"not_copied\":%zu", r->not_copied);
    fprintf(file, "%s%s}\n", r->calls, r->calls[0] ? "]" : "");
    if (fclose(file) != 0)
        our_fault("not enough memory for the status");
    evidence_write(EVIDENCE_STATUS, text, bytes);
    char error[512];
    if (r->status && file_write(r->status, NULL, 0, text, bytes, error, sizeof error) != 0)
        disk_fault("%s", error);
    free(text);
}

/* The value of an option of run_steps() or try_edits(), which are given in this order. */
static const char *first_option(int argc, char **argv, int at, const char *name) {
    if (at + 1 >= argc || strcmp(argv[at], name) != 0)
        our_fault("%s FILE is missing", name);
    return argv[at + 1];
}

static void free_case(struct runner *r) {
    for (int i = 0; i < r->inputs; i++)
        free_input(&r->input[i]);
    for (int i = 0; i < r->outputs; i++)
        free_output(&r->output[i]);
    *r = (struct runner){.part = NULL};
}

/* Calls the student's function once. Its inputs and outputs stay until free_case(). */
static void run_case(struct runner *r, int argc, char **argv) {
    free_case(r);
    read_arguments(r, argc, argv);
    crash_catch();
    lab_run(r);
    for (int i = 0; i < r->outputs && __asan_unpoison_memory_region; i++)
        __asan_unpoison_memory_region(r->output[i].memory,
                                      GUARD + r->output[i].array.bytes + GUARD);
    for (int i = 0; i < r->outputs; i++)
        write_output(&r->output[i]);
    write_status(r);
}

static void run_edits(struct runner *r, int argc, char **argv) {
    const char *list = first_option(argc, argv, 0, "--edits");
    const char *value = first_option(argc, argv, 2, "--value");
    const char *bound = first_option(argc, argv, 4, "--bound");
    const char *at_once = first_option(argc, argv, 6, "--at-once");
    read_arguments(r, argc - 8, argv + 8);
    try_edits(r, list, value, bound, atoi(at_once));
}

static void run_one(struct runner *r, int argc, char **argv) {
    if (argc > 0 && strcmp(argv[0], "--edits") == 0)
        run_edits(r, argc, argv);
    else if (argc > 0 && strcmp(argv[0], "--steps") == 0)
        run_steps(first_option(argc, argv, 0, "--steps"), first_option(argc, argv, 2, "--data"),
                  first_option(argc, argv, 4, "--results"),
                  argc > 6 ? first_option(argc, argv, 6, "--status") : NULL);
    else
        run_case(r, argc, argv);
}

int main(int argc, char **argv) {
    static struct runner r;
    for (int first = 1, end; first <= argc; first = end + 1) {
        for (end = first; end < argc && strcmp(argv[end], "--then") != 0; end++) {
        }
        run_one(&r, end - first, argv + first);
    }
    evidence_end();
    free_case(&r); /* behind the end: memory that the student broke ends the process here */
    return 0;
}
